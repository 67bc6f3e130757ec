// SPDX-License-Identifier: GPL-2.0-or-later
// Tests PDUs against the rules of conformance.h. A rule that depends on a negotiated value is tested only if
// the login with that value is in the capture.
#pragma once

#include "analyzer/base/containers/by_index.h"
#include "analyzer/capture/anomaly.h"
#include "analyzer/sessions/figures/conformance.h"
#include "analyzer/sessions/grouping/member_table.h"

#include <array>
#include <memory>
#include <vector>

namespace iscsiscope {

class ConformanceTracker {
public:
    static constexpr std::size_t cases_kept = 5;
    // Entries for tasks of one connection. A task whose entry another tag takes over is not tested further.
    static constexpr std::size_t followed = 256;

    void command(const Member &, const Pdu &);
    void data_out(const Member &, const Pdu &);
    // Any PDU of the target except a Login Response.
    void answer(const Member &, const Pdu &);
    void burst(const Member &, const BurstRecord &);
    void task(const Member &, const CycleRecord &);
    void window(const Member &, const Pdu &, bool inside);
    void anomaly(const Anomaly &, const Member *);
    // Called after the last PDU of the connection.
    void close(const Member &);

    std::array<RuleRow, rule_count> take();

private:
    // The data of one task so far.
    struct Followed {
        std::uint32_t itt = 0;
        bool open = false;
        std::uint32_t next_offset = 0;    // expected Buffer Offset of the next Data-In
        std::uint32_t sequence_bytes = 0; // in the current Data-In sequence
        std::uint32_t open_r2ts = 0;
    };
    // Entries are in blocks: most initiators count their tags up, so that few blocks are in use at a time.
    static constexpr std::size_t block_size = 16;
    using Block = std::array<Followed, block_size>;
    struct State {
        std::array<std::unique_ptr<Block>, followed / block_size> tasks; // allocated at first use
        std::optional<StatSn> next_status;
    };
    static std::size_t place(std::uint32_t itt) { return (itt ^ (itt >> 8) ^ (itt >> 16)) % followed; }
    void follow(const Member &, std::uint32_t itt);
    Followed *find(const Member &, std::uint32_t itt);
    static bool follows(const Member &);
    static bool
    free_if_over(std::unique_ptr<Block> &); // frees a block without open tasks; true: it is null now
    void data_in(const Member &, const Pdu &);
    void sent_to_target(const Member &, const Pdu &); // a PDU with data
    void count(Rule, bool broken, OptionalFrame);
    void count_broken(Rule, OptionalFrame);
    void allegiance(const Member &, const Pdu &);

    ByIndex<State> states_; // by member
    std::array<RuleRow, rule_count> rows_{};
};

} // namespace iscsiscope
