// SPDX-License-Identifier: GPL-2.0-or-later
// Recognition: whether a TCP connection is iSCSI, and which end is then the initiator. In: whether its port
// is known for iSCSI, the initiator once a PDU shows it, and that a stream does not begin with a login. Out:
// how much a search for a header must find, and how far it may look. A connection is undecided at first, then
// recognised or refuted for good.
#pragma once

#include "analyzer/tcp/hosts/side.h"

#include <cstdint>
#include <limits>
#include <optional>

namespace iscsiscope {

class Recognition {
public:
    // search_limit: how far a stream of a connection that may be another protocol's is searched, in bytes.
    Recognition(bool known_port, std::uint64_t search_limit)
        : search_limit_(search_limit), known_port_(known_port) {}

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
    // Bytes after which a search gives up.
    std::uint64_t search_limit() const {
        return certainly_iscsi() ? std::numeric_limits<std::uint64_t>::max() : search_limit_;
    }

private:
    const std::uint64_t search_limit_;
    const bool known_port_;
    bool no_login_ = false;
    std::optional<Side> initiator_;
};

} // namespace iscsiscope
