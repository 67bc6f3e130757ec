// SPDX-License-Identifier: GPL-2.0-or-later
// Recognition: whether a TCP connection is iSCSI, and which end is then the initiator. In: whether its port
// is known for iSCSI, the initiator once a PDU shows it, and that a stream does not begin with a login. Out:
// what is known by now, and how much a search for a header must find. A connection is undecided at first;
// then it is recognised or refuted, and recognised for good.
#pragma once

#include "analyzer/tcp/hosts/side.h"

#include <cstdint>
#include <optional>

namespace iscsiscope {

class Recognition {
public:
    explicit Recognition(bool known_port) : known_port_(known_port) {}

    // A PDU shows which end is the initiator.
    void set_initiator(Side side) { initiator_ = side; }
    std::optional<Side> initiator() const { return initiator_; }
    bool recognised() const { return initiator_.has_value(); }

    // The first bytes of a direction, all of which were seen, are no Login PDU. On a port that is not known
    // for iSCSI the connection is then not iSCSI.
    void note_no_login() {
        if (!recognised() && !known_port_)
            no_login_ = true;
    }
    bool refuted() const { return !recognised() && no_login_; }

    // The connection is known to be iSCSI, by its port or by a PDU.
    bool certainly_iscsi() const { return known_port_ || recognised(); }
    // Number of further headers that confirm a header found by a search.
    std::uint32_t confirmations() const { return certainly_iscsi() ? 1 : 2; }

private:
    const bool known_port_;
    bool no_login_ = false;
    std::optional<Side> initiator_;
};

} // namespace iscsiscope
