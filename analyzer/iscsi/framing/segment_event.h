// SPDX-License-Identifier: GPL-2.0-or-later
// SegmentEvent: one segment of a connection that speaks iSCSI, with all that the rooms before the cycles room
// found in it. IscsiEngine makes it once the segment's pieces have been dealt with, so that who receives it
// asks nobody back. Valid during the call only.
#pragma once

#include "analyzer/tcp/diagnosis/history/send_circumstances.h"
#include "analyzer/tcp/stream/connection.h"

#include <cstdint>

namespace iscsiscope {

struct SegmentEvent {
    const SegmentReport &report; // what it brought, and its place in the stream
    // What its sender had waited for. Null: nothing is to be said of it (TcpDiagnosis::on_segment), or nobody
    // looks.
    const SendCircumstances *sending = nullptr;
    // Headers or ends of PDUs have been delivered since the segment before: this one completed them.
    bool pdus = false;

    const Segment &segment() const { return *report.segment; }
    Side side() const { return report.side; }
    bool has_payload() const { return report.segment->payload_length != 0; }
    // The end offset of its payload in the sender's stream.
    std::uint64_t end() const { return report.offset + report.segment->payload_length; }
};

} // namespace iscsiscope
