// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cycles/engine.h"

#include <utility>

namespace iscsiscope {

ConnectionDirectory directory_for(const EngineOptions &options) {
    return ConnectionDirectory(
        options.limits,
        [iscsi = options.iscsi](const Segment &first, bool starts_with_syn) {
            return IscsiEngine::look_at_first(iscsi, first, starts_with_syn);
        });
}

Engine::Engine(RecordTables records, const EngineOptions &options)
    : records_(std::move(records)),
      attempts_(options.iscsi.ports, [this](const AttemptRecord &r) { records_.put(r); }),
      directory_(directory_for(options)), follower_(records_.with(attempts_), options) {}

void Engine::feed(const Segment &segment) {
    const Placement at = directory_.place(segment);
    for (const Closing &c : directory_.closings())
        follower_.close(c);
    attempts_.at(segment.time);
    follower_.follow(at, segment);
    directory_.take_retired();
}

void Engine::finish() {
    directory_.finish([this](const Closing &c) { follower_.close(c); });
    attempts_.finish();
}

} // namespace iscsiscope
