// SPDX-License-Identifier: GPL-2.0-or-later
// CoverageSum: how much was read of the connections that have ended. Several threads may add to it at a time.
#pragma once

#include "analyzer/base/containers/spin_lock.h"
#include "analyzer/iscsi/framing/iscsi_engine.h"

#include <mutex>

namespace iscsiscope {

class CoverageSum {
public:
    void add(const IscsiCoverage &c) {
        const std::lock_guard held(lock_);
        sum_.connections += c.connections;
        sum_.pdus += c.pdus;
        sum_.stream_bytes += c.stream_bytes;
        sum_.cut_bytes += c.cut_bytes;
        sum_.unseen_bytes += c.unseen_bytes;
        sum_.lost_bytes += c.lost_bytes;
        sum_.skipped_bytes += c.skipped_bytes;
        sum_.resyncs += c.resyncs;
        sum_.inferred_pdus += c.inferred_pdus;
        sum_.unfinished_pdus += c.unfinished_pdus;
    }
    IscsiCoverage sum() const {
        const std::lock_guard held(lock_);
        return sum_;
    }

private:
    mutable SpinLock lock_;
    IscsiCoverage sum_;
};

} // namespace iscsiscope
