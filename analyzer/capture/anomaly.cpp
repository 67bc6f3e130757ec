// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/capture/anomaly.h"

#include "analyzer/base/glossary/glossary.h"

#include <array>
#include <string>

namespace iscsiscope {
namespace {

// In the order of AnomalyKind.
constexpr std::array<std::string_view, anomaly_kind_count> names{
    "file_cut_short",        "unpacking_stopped", "file_damaged",    "time_went_back", "time_jumped",
    "clock_stepped",         "unknown_link_type", "malformed_frame", "header_cut",     "fragment_lost",
    "damaged_frame",         "duplicate_frame",   "stream_hole",     "late_fill",      "overlap_differs",
    "out_of_order_overflow", "sync_lost",         "resync",          "malformed_pdu",  "digest_mismatch",
    "login_malformed",       "orphan_response",   "tag_reused",      "data_sn_gap",    "burst_limit_exceeded",
    "residual_mismatch",     "command_sn_gap",
};

} // namespace

std::string_view name(AnomalyKind kind) {
    const auto index = static_cast<std::size_t>(kind);
    return index < names.size() ? names[index] : "unknown";
}

std::string_view explanation(AnomalyKind kind) {
    return meaning_of("anomaly." + std::string(name(kind)));
}

} // namespace iscsiscope
