// SPDX-License-Identifier: GPL-2.0-or-later
// What earlier headers of a connection tell of those to come.
#pragma once

#include "analyzer/iscsi/codec/header_view.h"

#include <cstdint>
#include <optional>

namespace iscsiscope {

// The sequence numbers of a connection, from both directions: answers say ExpCmdSN and StatSN, requests
// CmdSN and ExpStatSN. A header found after a break that continues them needs no further proof: two
// 32-bit numbers within 4096 of the last, or one where a PDU has but one (Data-Out, SNACK: within 256),
// leave chance 2^-38 and 2^-19 beside the plausibility of the rest (2^-24).
class SyncContext {
public:
    void note(HeaderView h) {
        if (h.has_exp_cmd_sn()) {
            command_ = h.exp_cmd_sn().value;
            window_ = h.max_cmd_sn().value;
            if (h.has_stat_sn())
                status_ = h.stat_sn().value;
        } else if (h.has_exp_stat_sn()) {
            status_ = h.exp_stat_sn().value;
            if (h.has_cmd_sn())
                command_ = h.cmd_sn().value;
        }
    }

    bool known() const { return command_ || status_; }

    bool matches(HeaderView h) const {
        if (h.has_exp_cmd_sn()) {
            if (window_ && !near(h.max_cmd_sn().value, window_, 4096))
                return false;
            if (h.has_stat_sn() && status_ && !near(h.stat_sn().value, status_, 4096))
                return false;
            return near(h.exp_cmd_sn().value, command_, 4096);
        }
        if (!h.has_exp_stat_sn())
            return false;
        return h.has_cmd_sn()
                   ? near(h.exp_stat_sn().value, status_, 4096) && near(h.cmd_sn().value, command_, 4096)
                   : near(h.exp_stat_sn().value, status_, 256);
    }

private:
    // Zero is what empty data holds: it is near to nothing.
    static bool near(std::uint32_t a, std::optional<std::uint32_t> b, std::uint32_t limit) {
        return b && a != 0 && a - *b + limit <= 2 * limit;
    }

    std::optional<std::uint32_t> command_; // CmdSN or ExpCmdSN
    std::optional<std::uint32_t> status_;  // StatSN or ExpStatSN
    std::optional<std::uint32_t> window_;  // MaxCmdSN
};

} // namespace iscsiscope
