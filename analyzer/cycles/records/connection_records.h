// SPDX-License-Identifier: GPL-2.0-or-later
// The records that the engine makes of an iSCSI connection while it is open: its PDUs, logins, session, bytes
// and what TCP did. What changes over the life of a connection is in them as a value of their own time.
#pragma once

#include "analyzer/cycles/records/connection_face.h"
#include "analyzer/iscsi/framing/login.h"
#include "analyzer/iscsi/pdu/pdu.h"
#include "analyzer/tcp/tcp_figures.h"

#include <cstdint>
#include <memory>
#include <optional>

namespace iscsiscope {

// A PDU, once its last byte was delivered.
struct PduRecord {
    SharedFace connection;
    Pdu pdu; // its ahs and data are valid during the call only
    // Round trips from the tap to either end: minima over the capture so far.
    std::optional<Duration> rtt_to_initiator, rtt_to_target;
};

// A PDU whose header was delivered (PduSink::on_header states which members are final).
struct PduBegun {
    SharedFace connection;
    Pdu pdu;
    std::optional<CycleId> cycle; // that it belongs to; empty: none
};

// A login that has ended, accepted or not.
struct LoginRecord {
    SharedFace connection;
    std::shared_ptr<const Login> login; // never null
};

// The connection belongs to this session from now on. Another record follows if a login moves it to another.
struct MemberRecord {
    SharedFace connection;
    SessionId session;
};

// Bytes of one direction of a connection's stream that passed the tap at a time. A byte is counted once,
// whether or not the snap length cut it off: repeats are not counted.
struct StreamBytes {
    // Of the frame. Of entries that PassingBytes joined, of the earliest of their frames; of bytes that only
    // the end of the connection shows to be unseen, of its last frame.
    Time time{};
    std::uint64_t captured = 0; // bytes that the frame carried and none before it
    std::uint64_t unseen = 0;   // bytes that no frame holds, and that were given up when this frame came

    std::uint64_t total() const { return captured + unseen; }
};

struct PassedRecord : StreamBytes {
    StreamId stream;
    PduDirection direction{};
};

// The sender's TCP state, and what limited it, at a segment of new data.
struct TcpSampleRecord : TcpSample {
    StreamId stream;
    PduDirection direction{};
};

struct RetransmissionRecord : TcpRetransmission {
    SharedFace connection;
    PduDirection direction{};
};

struct ReorderingRecord : TcpReordering {
    PduDirection direction{};
};

// One direction of a connection at its end.
struct TcpDirectionRecord {
    SharedFace connection;
    PduDirection direction{};
    FinalDirectionFigures figures; // never null
};

} // namespace iscsiscope
