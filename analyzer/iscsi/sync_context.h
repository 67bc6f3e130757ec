// SPDX-License-Identifier: GPL-2.0-or-later
// What earlier headers of a direction tell of those to come.
#pragma once

#include "analyzer/iscsi/codec/header_view.h"

#include <cstdint>

namespace iscsiscope {

// Sequence numbers of the last header. A header found after a break whose numbers continue them needs
// no further proof: two 32-bit numbers within 4096 of the last, or for Data-Out and SNACK, which have
// only ExpStatSN, one within 256, leave chance 2^-38 and 2^-23 beside the plausibility of the rest.
class SyncContext {
public:
    void note(HeaderView h) {
        if (h.has_exp_cmd_sn()) {
            first_ = h.exp_cmd_sn().value;
            second_ = h.max_cmd_sn().value;
            known_ = true;
        } else if (h.has_exp_stat_sn()) {
            second_ = h.exp_stat_sn().value;
            if (h.has_cmd_sn()) {
                first_ = h.cmd_sn().value;
                known_ = true;
            }
        }
    }

    bool known() const { return known_; }

    bool matches(HeaderView h) const {
        if (!known_)
            return false;
        if (h.has_exp_cmd_sn())
            return near(h.exp_cmd_sn().value, first_, 4096) && near(h.max_cmd_sn().value, second_, 4096);
        if (!h.has_exp_stat_sn())
            return false;
        return h.has_cmd_sn()
                   ? near(h.exp_stat_sn().value, second_, 4096) && near(h.cmd_sn().value, first_, 4096)
                   : near(h.exp_stat_sn().value, second_, 256);
    }

private:
    // Zero is what empty data holds: it is near to nothing.
    static bool near(std::uint32_t a, std::uint32_t b, std::uint32_t limit) {
        return a != 0 && a - b + limit <= 2 * limit;
    }

    bool known_ = false;
    std::uint32_t first_ = 0;  // CmdSN or ExpCmdSN
    std::uint32_t second_ = 0; // ExpStatSN or MaxCmdSN
};

} // namespace iscsiscope
