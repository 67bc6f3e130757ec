// SPDX-License-Identifier: GPL-2.0-or-later
// SinkFan: passes the records of one reading to several sinks.
#pragma once

#include "analyzer/cycles/records/forwarding_sink.h"

#include <array>
#include <vector>

namespace iscsiscope {

// Passes every record to all sinks, in their order; progress, TCP samples and passed bytes only to the sinks
// that want them. The sinks must outlive it.
class SinkFan final : public RelaySink<SinkFan> {
public:
    explicit SinkFan(const std::vector<RecordSink *> &sinks) {
        for (RecordSink *s : sinks) {
            to(Audience::all).push_back(s);
            if (s->wants_progress())
                to(Audience::progress).push_back(s);
            if (s->wants_tcp_samples())
                to(Audience::samples).push_back(s);
            if (s->wants_passed_bytes())
                to(Audience::passed).push_back(s);
        }
    }

    bool wants_progress() const override { return !to(Audience::progress).empty(); }
    bool wants_tcp_samples() const override { return !to(Audience::samples).empty(); }
    bool wants_passed_bytes() const override { return !to(Audience::passed).empty(); }

    template <class Callback, class... Arguments>
    void relay(Audience audience, Callback callback, const Arguments &...a) {
        for (RecordSink *s : to(audience))
            (s->*callback)(a...);
    }

private:
    const std::vector<RecordSink *> &to(Audience a) const { return sinks_[static_cast<std::size_t>(a)]; }
    std::vector<RecordSink *> &to(Audience a) { return sinks_[static_cast<std::size_t>(a)]; }

    std::array<std::vector<RecordSink *>, audience_count> sinks_; // by Audience
};

} // namespace iscsiscope
