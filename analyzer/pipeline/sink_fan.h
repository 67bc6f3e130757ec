// SPDX-License-Identifier: GPL-2.0-or-later
// SinkFan: passes the records of one reading to several sinks.
#pragma once

#include "analyzer/cycles/records/record_sink.h"

#include <utility>
#include <vector>

namespace iscsiscope {

// Each sink takes its own tables, in the order of the sinks. They must outlive what it subscribes to.
class SinkFan final : public RecordSink {
public:
    explicit SinkFan(std::vector<RecordSink *> sinks) : sinks_(std::move(sinks)) {}

    void subscribe(RecordTables &to) override {
        for (RecordSink *s : sinks_)
            s->subscribe(to);
    }

private:
    std::vector<RecordSink *> sinks_;
};

} // namespace iscsiscope
