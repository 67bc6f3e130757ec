// SPDX-License-Identifier: GPL-2.0-or-later
// Bad input is data: whatever is wrong with a file, a frame, a stream or a PDU becomes one of these
// records, counted by kind and located by frame, and the engine goes on.
#pragma once

#include "analyzer/base/time.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace iscsiscope {

enum class AnomalyKind : std::uint8_t {
    // capture
    file_cut_short,    // the file ends inside a record
    file_damaged,      // a record header that cannot be; reading stopped or resumed behind it
    time_went_back,    // a time stamp earlier than its predecessor's (ns in detail)
    unknown_link_type, // an interface whose frames cannot be decoded (LINKTYPE_ in detail; once)
    malformed_frame,   // a header that contradicts itself (lengths, versions)
    header_cut,        // the snap length took link, IP or TCP header bytes
    fragment_lost,     // a fragmented datagram was never completed
    // tcp
    duplicate_frame,       // a mirror port's second copy; dropped before all else
    stream_hole,           // bytes that passed but that no frame holds (length in detail)
    late_fill,             // bytes that came after their hole had been given up
    overlap_differs,       // a retransmission with other content (the first is kept)
    out_of_order_overflow, // the reordering buffer was full; content of early bytes was not kept
    // iscsi
    sync_lost,       // a header was expected and something else stood there, or it was cut
    resync,          // PDU headers found again (skipped bytes in detail)
    malformed_pdu,   // a header that RFC 7143 forbids
    digest_mismatch, // header or data CRC32C does not match
    login_malformed, // text keys that cannot be parsed
    // cycles
    orphan_response,      // an answer without a command in the capture
    tag_reused,           // an Initiator Task Tag used again while its task was outstanding
    data_sn_gap,          // DataSN or R2TSN out of sequence
    burst_limit_exceeded, // more bytes than FirstBurstLength, MaxBurstLength or the R2T allow
    residual_mismatch,    // residual count and bytes moved do not agree
    command_sn_gap,       // CmdSN out of sequence on a session whose connections are all seen
};
inline constexpr std::size_t anomaly_kind_count = static_cast<std::size_t>(AnomalyKind::command_sn_gap) + 1;

// Snake-case name as reports show it.
std::string_view name(AnomalyKind);
// One sentence in the user's words.
std::string_view explanation(AnomalyKind);

struct Anomaly {
    AnomalyKind kind{};
    FrameNumber frame = 0;               // 0: the file as a whole
    std::optional<std::uint64_t> stream; // TCP connection, where one is known
    std::int64_t detail = 0;             // bytes or a value, as the kind's comment says; else 0
};

class AnomalySink {
public:
    virtual ~AnomalySink() = default;
    virtual void on_anomaly(const Anomaly &) = 0;
};

} // namespace iscsiscope
