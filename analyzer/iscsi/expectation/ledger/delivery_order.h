// SPDX-License-Identifier: GPL-2.0-or-later
// DeliveryOrder: whether the headers of both directions are delivered in the order in which they were sent.
// In: each header with the numbers of the other direction up to here. Out: whether the order is unknown: it
// is from a header that acknowledges what the file shows only later, which was captured at another place or
// by another clock, until 64 headers in a row have not.
#pragma once

#include "analyzer/iscsi/expectation/ledger/command_numbers.h"
#include "analyzer/iscsi/expectation/ledger/number_distance.h"
#include "analyzer/iscsi/expectation/ledger/status_numbers.h"

#include <cstdint>

namespace iscsiscope {

class DeliveryOrder {
public:
    void compare(const Pdu &pdu, const StatusNumbers &statuses, const CommandNumbers &commands) {
        const HeaderView h = pdu.view();
        bool ahead = false;
        if (h.has_exp_cmd_sn() && header_field::exp_cmd_sn.in(pdu.in_file) && !commands.shared())
            ahead = is_above(h.exp_cmd_sn().value, commands.next());
        if (h.has_exp_stat_sn() && header_field::exp_stat_sn.in(pdu.in_file))
            ahead = is_above(h.exp_stat_sn().value, statuses.next());
        if (ahead)
            begins_late();
        else if (unknown_for_ > 0)
            --unknown_for_;
    }
    // Tasks were under way before the first header.
    void begins_late() { unknown_for_ = 64; }
    bool unknown() const { return unknown_for_ > 0; }

private:
    std::uint8_t unknown_for_ = 0; // headers
};

} // namespace iscsiscope
