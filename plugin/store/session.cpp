// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/store/session.h"

#include "analyzer/figures/read_report.h"

#include <utility>

namespace iscsiscope::plugin {
namespace {

constexpr std::size_t ports_listed = 8;

} // namespace

Session::Session(EngineOptions options, Extras extras)
    : store_(extras.senders, options.iscsi.ports), extras_(extras),
      sinks_(extras.findings ? std::vector<RecordSink *>{&store_, &analysis_, &facts_, &collector_}
                             : std::vector<RecordSink *>{&store_}),
      tables_(sinks_), decoder_(tables_), unread_(options.iscsi.ports), engine_(tables_, std::move(options)) {
}

void Session::lost_segment(FrameNumber frame) {
    ++lost_segments_;
    store_.unread(frame, "The plugin did not find the TCP segment of this frame in Wireshark's dissection");
}

void Session::finish() {
    if (finished_)
        return;
    finished_ = true;
    store_.begin_frame(0);
    decoder_.finish();
    engine_.finish();
    store_.name_unread_connections();
    if (!extras_.findings)
        return;
    CaptureSummary capture; // without the drops of the capturing program, which plugins cannot ask for
    capture.info.frames = frames_;
    capture.first_frame_time = first_;
    capture.info.last_time = last_;
    capture.protocols = decoder_.protocols();
    capture.unread = unread_.found(decoder_.unread());
    capture.ports = ports_.busiest(ports_listed);
    capture.coverage = engine_.coverage();
    capture.tcp_connections = engine_.tcp_connections();
    capture.forgotten = engine_.forgotten();
    report_ = collector_.take(std::move(capture));
    report_->session_figures = analysis_.take();
    add_findings(*report_, facts_.take());
    store_.put_findings(*report_->findings);
}

} // namespace iscsiscope::plugin
