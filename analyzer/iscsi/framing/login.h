// SPDX-License-Identifier: GPL-2.0-or-later
// Login: one login phase (RFC 7143 section 6) as the capture shows it. Empty strings: not given.
#pragma once

#include "analyzer/base/time.h"
#include "analyzer/iscsi/text/negotiation.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>

namespace iscsiscope {

// What a login shows of authentication by CHAP (RFC 7143 section 12.1.3). Challenges and answers are not
// kept.
struct ChapSeen {
    std::string methods;                     // AuthMethod as the initiator offers it
    std::string algorithms, algorithm;       // CHAP_A: the initiator's list, the target's choice
    std::string initiator_name, target_name; // CHAP_N of each end
    bool initiator_answered = false;         // CHAP_R of the initiator
    bool initiator_asked = false;            // CHAP_C of the initiator: the target shall authenticate too
    bool target_asked = false, target_answered = false; // CHAP_C and CHAP_R of the target
    bool accepted = false; // the target answered the initiator's CHAP_R without an error

    friend bool operator==(const ChapSeen &, const ChapSeen &) = default;
};

struct Login {
    bool accepted = false;         // reached the full feature phase
    bool finished = false;         // false: the connection or the capture ended inside the login
    bool whole = false;            // all its text is in the file; if false, see keys.known
    std::uint8_t status_class = 0; // RFC 7143 section 11.13.5, of the last response
    std::uint8_t status_detail = 0;
    std::array<std::uint8_t, 6> isid{};
    std::uint16_t requested_tsih = 0; // 0: a new session
    std::uint16_t tsih = 0;           // of the last response
    std::uint16_t cid = 0;
    std::string initiator_name;
    std::string target_name;
    std::string session_type;             // "Normal" (also when not given) or "Discovery"
    std::string target_portal_group;      // TargetPortalGroupTag, as text
    std::string authentication;           // AuthMethod chosen, e.g. "None", "CHAP"
    std::string redirect;                 // TargetAddress of a redirection
    std::shared_ptr<const ChapSeen> chap; // null: no key of CHAP, and no AuthMethod, was seen
    bool ended_by_target = false;         // the last PDU of the login is the target's
    NegotiationResult keys;               // offered, answered and in force
    Time start{}, end{};                  // first_seen of the first request, delivered of the last response
    FrameNumber first_frame = 0, last_frame = 0;
    std::uint32_t round_trips = 0; // requests answered
};

// True if both ends agreed to go over to iSER when the login was done: what follows on this connection is
// RDMA.
inline bool goes_over_to_rdma(const Login &login) {
    const std::optional<NegotiatedKey> key = login.keys.find(rdma_extensions);
    return login.accepted && key && key->initiator == "Yes" && key->target == "Yes";
}

} // namespace iscsiscope
