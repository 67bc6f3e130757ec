// SPDX-License-Identifier: GPL-2.0-or-later
// What one task sends towards the target: unsolicited data, and the bursts that answer its R2Ts.
#pragma once

#include "analyzer/cycles/records/records.h"
#include "analyzer/cycles/tasks/phases.h"
#include "analyzer/iscsi/framing/pdu.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace iscsiscope {

class BurstTracker {
public:
    // Rows kept for one task; further R2Ts are counted by the task but have no row.
    static constexpr std::size_t limit = 65536;

    void clear();

    // Immediate data of the command. Its PDU may still be under way.
    void immediate(const Pdu &);
    // The SCSI Command PDU has come whole.
    void immediate_end(const Pdu &);
    // data_out_under_way: when a byte of a Data-Out of this task that is not whole was seen last.
    void r2t(const Pdu &, std::optional<Time> data_out_under_way);
    // Data-Out header met: whether it begins the burst of an R2T, and one that was seen.
    enum class Begins : std::uint8_t { nothing, asked, unasked };
    Begins data_out_begin(const Pdu &);
    void data_out_end(const Pdu &);

    bool any() const { return !bursts_.empty(); }
    bool has_unsolicited() const { return unsolicited_; }
    // r2t_wait of the first R2T delivered. Here and below command_delivered is Time{} while the command is
    // not met: where PDU boundaries were lost its header may be found behind what follows it.
    std::optional<Duration> first_r2t_wait(Time command_delivered) const;
    std::uint64_t unsolicited_bytes() const { return unsolicited_ ? bursts_.front().row.sent_bytes : 0; }
    // What FirstBurstLength and the command allow without R2T.
    void set_unsolicited_allowance(std::uint32_t bytes) { allowance_ = bytes; }

    // DataSN of the last data_out_end() was not the one expected; the burst got more than it asked for.
    bool out_of_sequence() const { return out_of_sequence_; }
    bool overrun() const { return overrun_; }

    Phases phases(const WriteTimes &, WritePhases &scratch) const;

    // The rows, in order: emit(const BurstRecord &).
    template <class Emit>
    void rows(std::uint64_t cycle, std::uint64_t stream, Time command_delivered, Emit emit) const {
        for (std::size_t i = 0; i < bursts_.size(); ++i)
            emit(row(i, cycle, stream, command_delivered));
    }

    // The burst that the last call changed; none if it had no room.
    std::optional<BurstRecord> touched(std::uint64_t cycle, std::uint64_t stream,
                                       Time command_delivered) const {
        return touched_ < bursts_.size() ? std::optional(row(touched_, cycle, stream, command_delivered))
                                         : std::nullopt;
    }

private:
    struct Burst {
        BurstRecord row;         // cycle and stream are set when it is emitted
        std::optional<Time> r2t; // delivered
        std::optional<Time> data_before_r2t;
        std::optional<Time> first; // first_seen of the first Data-Out
        Time last{};               // delivered of the last byte
        std::uint32_t next_data_sn = 0;
    };

    static std::optional<Duration> r2t_wait(const Burst &, Time command_delivered);
    BurstRecord row(std::size_t i, std::uint64_t cycle, std::uint64_t stream, Time command_delivered) const;
    Burst &unsolicited_burst();
    // Null: none, and no room for another.
    Burst *burst_for(const Pdu &);

    std::vector<Burst> bursts_; // the unsolicited one first, if there is one
    std::optional<Time> last_data_out_;
    std::size_t touched_ = limit;
    std::uint32_t allowance_ = 0;
    bool unsolicited_ = false;
    bool out_of_sequence_ = false, overrun_ = false;
};

} // namespace iscsiscope
