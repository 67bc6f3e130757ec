// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/store/session.h"

#include "analyzer/findings/findings_input.h"

#include <utility>

namespace iscsiscope::plugin {

Session::Session(EngineOptions options, Extras extras)
    : store_(extras.senders), extras_(extras),
      sinks_(extras.findings ? std::vector<RecordSink *>{&store_, &analysis_, &facts_}
                             : std::vector<RecordSink *>{&store_}),
      decoder_(sinks_), engine_(sinks_, std::move(options)) {}

void Session::finish() {
    if (finished_)
        return;
    finished_ = true;
    store_.begin_frame(0);
    decoder_.finish();
    engine_.finish();
    if (!extras_.findings)
        return;
    const SessionFigures figures = analysis_.take();
    const Facts facts = facts_.take();
    FindingsInput input; // without the drops of the capturing program, which plugins cannot ask for
    input.facts = &facts;
    input.sessions = &figures;
    input.capture.coverage = engine_.coverage();
    store_.put_findings(find_causes(input));
}

} // namespace iscsiscope::plugin
