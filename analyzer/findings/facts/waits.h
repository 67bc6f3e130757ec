// SPDX-License-Identifier: GPL-2.0-or-later
// Waits: the entries of the ledger that are alike, of one connection; IdlePauses: its time without a task.
// Sums of bounded size.
#pragma once

#include "analyzer/base/course/course.h"
#include "analyzer/base/histogram.h"
#include "analyzer/cycles/records/ledger_entry.h"
#include "analyzer/findings/facts/lun_type_sums.h"

#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

namespace iscsiscope {

// What entries have in common that one finding can claim together (findings/claims.h).
struct WaitKey {
    Cause cause{};
    Owner owner{};
    std::optional<GapKind> gap;
    bool is_long = false; // LedgerEntry::is_long

    WaitKey() = default;
    WaitKey(Cause c, Owner o, std::optional<GapKind> g = {}, bool l = false)
        : cause(c), owner(o), gap(g), is_long(l) {}
    explicit WaitKey(const LedgerEntry &e) : WaitKey(e.cause, e.owner, e.gap, e.is_long()) {}
    friend auto operator<=>(const WaitKey &, const WaitKey &) = default;
};

struct Waits {
    std::uint64_t count = 0; // of waits: consecutive entries of one gap count once
    Duration time{};
    OwnerTimes owners;              // of `time`
    std::uint64_t depth_sum = 0,    // sum of queue depths over the waits of a known task
        tasks = 0;                  // and their number
    Histogram own;                  // lengths of the entries, ns
    Course course;                  // of `time`
    LunTypeSums by_lun;             // waits and their time
    std::vector<LedgerEntry> worst; // at most 3, longest first

    void add(const LedgerEntry &);
    void merge(const Waits &);
    Duration own_median() const { return Duration{own.quantile(0.5).value_or(0)}; }
    double mean_depth() const {
        return tasks > 0 ? static_cast<double>(depth_sum) / static_cast<double>(tasks) : 0;
    }

private:
    FrameNumber last_before_ = 0; // of the entry added last
};

// The waits for a connection's next command, each longer than twice the round trip from the tap to the
// initiator, and how long no task was outstanding in them.
struct IdlePauses {
    static constexpr std::size_t max_long = 4096;

    std::uint64_t count = 0;
    Duration time{};                 // outside busy time
    Histogram own;                   // pause less the round trip to the initiator, ns
    std::vector<GapRecord> worst;    // at most 3, longest first
    std::vector<Duration> long_ones; // above 200 ms, the first max_long

    void add(const GapRecord &);
    void merge(const IdlePauses &);
};

} // namespace iscsiscope
