// SPDX-License-Identifier: GPL-2.0-or-later
// Anomaly: one defect of the input. Whatever is wrong with a file, a frame, a byte stream or a PDU is
// reported as an Anomaly, counted by kind and located by frame, and the analysis continues.
#pragma once

#include "analyzer/base/ids.h"
#include "analyzer/base/time.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace iscsiscope {

enum class AnomalyKind : std::uint8_t {
    // capture
    file_cut_short,    // the file ends inside a record
    unpacking_stopped, // a bound of UnpackBounds was reached before the end of the file
    file_damaged,      // an impossible record header; reading stopped or resumed behind it
    time_went_back,    // a time stamp earlier than its predecessor's (detail: ns)
    time_jumped,       // the clock was set by more than 400 days (detail: ns)
    clock_stepped,     // the clock was set (detail: ns, negative: back); the step is taken out
    unknown_link_type, // an interface whose frames cannot be decoded (detail: LINKTYPE_ value; once each)
    malformed_frame,   // a header that contradicts itself (lengths, versions)
    header_cut,        // the snap length cut off bytes of the link, IP or TCP header
    fragment_lost,     // a fragmented datagram was never completed
    damaged_frame,     // a TCP checksum is wrong that the sender had filled in: no receiver takes the segment
    // tcp
    duplicate_frame,       // a mirror port's second copy of a frame; dropped before any other processing
    stream_hole,           // bytes that passed but that no frame holds (detail: their number)
    late_fill,             // bytes that came after their hole had been given up
    overlap_differs,       // a retransmission with other content (the first transmission is kept)
    out_of_order_overflow, // the reordering buffer was full; the content of early bytes was not kept
    // iscsi
    sync_lost,       // other bytes where a PDU header was expected, or a header that was cut off
    resync,          // PDU headers were found again (detail: bytes skipped)
    malformed_pdu,   // a header that RFC 7143 forbids
    digest_mismatch, // header or data CRC32C does not match
    login_malformed, // text keys that cannot be parsed
    // cycles
    orphan_response,      // a response without a command in the capture
    tag_reused,           // an Initiator Task Tag used again while its task was outstanding
    data_sn_gap,          // DataSN or R2TSN out of sequence
    burst_limit_exceeded, // more bytes than FirstBurstLength, MaxBurstLength or the R2T allow
    residual_mismatch,    // residual count and bytes moved do not agree
    command_sn_gap,       // CmdSN out of sequence on a session whose connections are all seen
};
inline constexpr std::size_t anomaly_kind_count = static_cast<std::size_t>(AnomalyKind::command_sn_gap) + 1;

// Returns the snake-case name that reports show.
std::string_view name(AnomalyKind);
// Returns one sentence that explains the kind to a user.
std::string_view explanation(AnomalyKind);

struct Anomaly {
    AnomalyKind kind{};
    OptionalFrame frame;            // empty: the file as a whole
    std::optional<StreamId> stream; // number of the TCP connection; empty: none is known
    std::int64_t detail = 0;        // as noted at the kind: bytes, ns or a value; else 0
};

// Receives anomalies in the order in which they are found.
class AnomalySink {
public:
    virtual ~AnomalySink() = default;
    virtual void on_anomaly(const Anomaly &) = 0;
};

// Where a file is read ahead of its analysis: what is wrong with it is reported when it is analyzed.
class IgnoredAnomalies final : public AnomalySink {
public:
    void on_anomaly(const Anomaly &) override {}
};

} // namespace iscsiscope
