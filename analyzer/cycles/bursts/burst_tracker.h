// SPDX-License-Identifier: GPL-2.0-or-later
// BurstTracker: follows the write data of one task, which is unsolicited data (burst 0) and one burst per R2T
// (docs/figures.md, "R2T burst"). R2T, Data-Out and immediate data go in, each to its WriteBurst;
// BurstRecords, phases and the task's waits for its target come out.
#pragma once

#include "analyzer/cycles/bursts/write_burst.h"
#include "analyzer/cycles/records/records.h"
#include "analyzer/cycles/tasks/phases.h"
#include "analyzer/cycles/tasks/target_wait.h"
#include "analyzer/iscsi/pdu/pdu.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace iscsiscope {

class BurstTracker {
public:
    // Most bursts recorded for one task; further R2Ts are counted by the task but have no BurstRecord.
    static constexpr std::size_t limit = 65536;

    void clear();

    // The header of a SCSI Command with immediate data has been delivered; its data may still follow.
    void immediate(const Pdu &);
    // The SCSI Command PDU with its immediate data has been delivered.
    void immediate_end(const Pdu &);
    // An R2T has been delivered. data_out_under_way: if a Data-Out of this task is only partly seen, the time
    // of its last byte seen so far.
    void r2t(const Pdu &, std::optional<Time> data_out_under_way);
    // A Data-Out header has been delivered. Returns whether it begins the burst that answers an R2T, and
    // whether that R2T is in the capture.
    enum class Begins : std::uint8_t { nothing, answers_r2t, r2t_unseen };
    Begins data_out_begin(const Pdu &);
    // A whole Data-Out has been delivered. Returns what is wrong with it; nothing if its burst is beyond
    // `limit`.
    DataOutFaults data_out_end(const Pdu &);

    bool any() const { return !bursts_.empty(); }
    // When the oldest of the last few R2Ts was delivered whose data has not passed whole; empty: no data is
    // due.
    std::optional<Time> due_since() const {
        constexpr std::size_t look_back = 16; // MaxOutstandingR2T is hardly ever larger
        std::optional<Time> since;
        std::size_t left = look_back;
        for (std::size_t i = bursts_.size(); i > 0 && left > 0; --i, --left)
            if (const WriteBurst &b = bursts_[i - 1]; b.r2t && !b.row.final_seen)
                since = since ? std::min(*since, *b.r2t) : b.r2t;
        return since;
    }
    // Up to which byte R2Ts have asked for the task's data. Of unsolicited data, if there were some, all that
    // the keys allow counts as asked for.
    std::uint64_t asked_to() const {
        std::uint64_t end = 0;
        for (const WriteBurst &b : bursts_)
            end = std::max(end, std::uint64_t{b.row.offset} + b.row.desired_bytes.value_or(0));
        return end;
    }
    // The unsolicited data has passed up to its F bit.
    bool unsolicited_complete() const { return unsolicited_ && bursts_.front().row.final_seen; }
    // When the last data that has passed was delivered; empty if there was none.
    std::optional<Time> last_data() const {
        return unsolicited_ ? std::max(last_data_out_, std::optional(bursts_.front().last)) : last_data_out_;
    }
    // Bytes that FirstBurstLength and the command allow to be sent without an R2T.
    void set_unsolicited_allowance(std::uint32_t bytes) { allowance_ = bytes; }

    Phases phases(const WriteTimes &, WritePhases &scratch) const;

    // Calls add(const TargetWait &) for each wait for an R2T or for the status in which no data of an earlier
    // R2T was due. status: from the command's delivery to the status.
    template <class Add>
    void waits(const TargetWait &status, Add add) const {
        TargetWait next = status;
        Time due_until = Time::min(), last_r2t = Time::min();
        for (std::size_t i = 0; i < bursts_.size(); ++i) {
            const WriteBurst &burst = bursts_[i];
            if (burst.r2t && due_until <= *burst.r2t)
                add(burst.wait_for_r2t(status, next));
            if (burst.r2t) {
                due_until = std::max(due_until, burst.row.final_seen ? burst.last : Time::max());
                last_r2t = burst.r2t_seen;
            }
            if (burst.last > next.from) {
                next.from = burst.last;
                next.last_asked = burst.row.last_frame.value_or(next.last_asked);
            }
        }
        if (due_until > status.to && last_r2t >= next.from) {
            next.from = last_r2t; // the target did not wait for the data of its last R2T
            next.r2t_unanswered = true;
        }
        if (due_until <= status.to || next.r2t_unanswered)
            add(next);
    }

    // Calls emit(const BurstRecord &) for each burst, in order of burst number. Here and below
    // command_delivered is empty while the command is unknown: where PDU boundaries were lost, its header may
    // be found after the PDUs that follow it, and it may not be in the capture at all.
    template <class Emit>
    void rows(CycleId cycle, StreamId stream, std::optional<Time> command_delivered, Emit emit) const {
        for (std::size_t i = 0; i < bursts_.size(); ++i)
            emit(row(i, cycle, stream, command_delivered));
    }

    // The burst that the last call changed; empty if that burst was beyond `limit`.
    std::optional<BurstRecord> touched(CycleId cycle, StreamId stream,
                                       std::optional<Time> command_delivered) const {
        return touched_ < bursts_.size() ? std::optional(row(touched_, cycle, stream, command_delivered))
                                         : std::nullopt;
    }

private:
    BurstRecord row(std::size_t i, CycleId cycle, StreamId stream,
                    std::optional<Time> command_delivered) const;
    WriteBurst &unsolicited_burst();
    // The burst to which a Data-Out belongs; null if it has none and `limit` is reached.
    WriteBurst *burst_for(const Pdu &);

    std::vector<WriteBurst> bursts_; // the unsolicited one first, if there is one
    std::optional<Time> last_data_out_;
    std::size_t touched_ = limit;
    std::uint32_t allowance_ = 0;
    bool unsolicited_ = false;
};

} // namespace iscsiscope
