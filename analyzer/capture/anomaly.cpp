// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/capture/anomaly.h"

#include <array>

namespace iscsiscope {

namespace {

struct Words {
    AnomalyKind kind;
    std::string_view name;
    std::string_view explanation;
};

constexpr std::array<Words, anomaly_kind_count> words{{
    {AnomalyKind::file_cut_short, "file_cut_short",
     "The file ends inside a record; everything before it was read."},
    {AnomalyKind::file_damaged, "file_damaged",
     "A record of the file cannot be what it says; frames may be missing from here on."},
    {AnomalyKind::time_went_back, "time_went_back", "A frame is stamped earlier than the frame before it."},
    {AnomalyKind::unknown_link_type, "unknown_link_type",
     "Frames of an interface have a link type that cannot be decoded and were left out."},
    {AnomalyKind::malformed_frame, "malformed_frame",
     "A frame's headers contradict themselves or its length."},
    {AnomalyKind::header_cut, "header_cut",
     "The snap length of the capture cut a frame inside its link, IP or TCP header; capture with at least "
     "128 bytes a frame."},
    {AnomalyKind::fragment_lost, "fragment_lost",
     "A fragmented IP datagram was never completed, because a fragment is not in the capture."},
    {AnomalyKind::duplicate_frame, "duplicate_frame",
     "A second copy of a frame, as mirror ports make it, was dropped."},
    {AnomalyKind::stream_hole, "stream_hole",
     "Bytes passed on a connection that no frame of the capture holds."},
    {AnomalyKind::late_fill, "late_fill", "Bytes of a stream came after they had been given up as missing."},
    {AnomalyKind::overlap_differs, "overlap_differs",
     "A retransmission carries other bytes than the first transmission did; the first were kept."},
    {AnomalyKind::out_of_order_overflow, "out_of_order_overflow",
     "Too many bytes waited for an earlier one; the contents of some were not kept."},
    {AnomalyKind::sync_lost, "sync_lost",
     "Where an iSCSI header was due stood something else, or the header was cut off."},
    {AnomalyKind::resync, "resync", "iSCSI headers were found again after a stretch that could not be read."},
    {AnomalyKind::malformed_pdu, "malformed_pdu", "An iSCSI header has values that RFC 7143 forbids."},
    {AnomalyKind::digest_mismatch, "digest_mismatch",
     "A header or data digest (CRC32C) does not match the bytes it covers."},
    {AnomalyKind::login_malformed, "login_malformed",
     "The text keys of a login or text PDU cannot be parsed."},
    {AnomalyKind::orphan_response, "orphan_response", "An answer came whose command is not in the capture."},
    {AnomalyKind::tag_reused, "tag_reused",
     "An initiator used a task tag again while the task that held it was still open."},
    {AnomalyKind::data_sn_gap, "data_sn_gap", "DataSN or R2TSN numbers of a task are not consecutive."},
    {AnomalyKind::burst_limit_exceeded, "burst_limit_exceeded",
     "More data was sent than FirstBurstLength, MaxBurstLength or the R2T allow."},
    {AnomalyKind::residual_mismatch, "residual_mismatch",
     "The residual count of a response does not agree with the bytes that were moved."},
    {AnomalyKind::command_sn_gap, "command_sn_gap",
     "CmdSN numbers of a session are not consecutive although all its connections are in the capture."},
}};

constexpr bool in_order() {
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (static_cast<std::size_t>(words[i].kind) != i) {
            return false;
        }
    }
    return true;
}
static_assert(in_order(), "one entry per kind, in the order of AnomalyKind");

const Words *find(AnomalyKind kind) {
    const auto index = static_cast<std::size_t>(kind);
    return index < words.size() ? &words[index] : nullptr;
}

} // namespace

std::string_view name(AnomalyKind kind) {
    const Words *found = find(kind);
    return found != nullptr ? found->name : "unknown";
}

std::string_view explanation(AnomalyKind kind) {
    const Words *found = find(kind);
    return found != nullptr ? found->explanation : "";
}

} // namespace iscsiscope
