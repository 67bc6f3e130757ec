// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/findings/finding.h"

#include <algorithm>
#include <iterator>

namespace iscsiscope {
namespace {

struct Words {
    std::string_view name, title;
};
// In the order of FindingKind.
constexpr Words words[] = {
    {"delayed_ack", "ACKs held back while the sender could send nothing"},
    {"nagle", "Small segments waited for an ACK"},
    {"no_window_scaling", "No window scaling"},
    {"small_receive_window", "The receive window sets the rate"},
    {"small_send_buffer", "The send buffer sets the rate"},
    {"small_data_segments", "Many small Data PDUs"},
    {"r2t_ping_pong", "Round trips spent on R2Ts"},
    {"no_unsolicited_data", "A round trip that immediate data would save"},
    {"slow_r2t_answer", "The initiator answers R2Ts late"},
    {"queue_depth", "Too little outstanding for the delay"},
    {"command_window", "The command window was closed"},
    {"slow_target", "The target is slow"},
    {"blocking_command", "A long command stops others"},
    {"head_of_line", "Small commands wait behind large transfers"},
    {"nop_timeout", "Pings without an answer"},
    {"abort_storm", "Commands aborted or reset"},
    {"connection_reset", "Connections broke"},
    {"incast", "Many flows overflow one queue"},
    {"packet_loss", "Packets are lost"},
    {"retransmission_timeout", "Time lost in retransmission timeouts"},
    {"bufferbloat", "A standing queue on the path"},
    {"mtu_black_hole", "Large segments never arrive"},
    {"zero_window", "The receiver takes no more data"},
    {"reordering", "Segments overtake each other"},
    {"duplication", "Segments arrive twice"},
    {"path_imbalance", "Paths carry unequal shares"},
    {"connection_imbalance", "Connections carry unequal shares"},
    {"mirror_laggard", "One member holds the mirror up"},
    {"digest_error", "Digests do not match"},
    {"digest_cost", "Digests may cost time"},
    {"login_trouble", "Logins refused or slow"},
    {"access_trouble", "Reservations or path states in the way"},
    {"command_errors", "Commands fail"},
    {"io_split", "Requests arrive in pieces"},
    {"misaligned_io", "Commands are not aligned"},
    {"one_direction_slow", "One direction is slow"},
    {"application_idle", "The host gives no work"},
    {"capture_quality", "The capture is not complete"},
};
static_assert(std::size(words) == finding_kind_count);

} // namespace

std::string_view name(FindingKind k) {
    return words[static_cast<std::size_t>(k)].name;
}

std::string_view title(FindingKind k) {
    return words[static_cast<std::size_t>(k)].title;
}

std::string_view name(Severity s) {
    constexpr std::string_view names[] = {"problem", "notice", "info"};
    return names[static_cast<std::size_t>(s)];
}

std::string_view name(FigureUnit u) {
    constexpr std::string_view names[] = {"", "ns", "bytes", "bytes/s", "share"};
    return names[static_cast<std::size_t>(u)];
}

const Finding *FindingsResult::find(FindingKind kind) const {
    const auto at =
        std::find_if(findings.begin(), findings.end(), [&](const Finding &f) { return f.kind == kind; });
    return at == findings.end() ? nullptr : &*at;
}

} // namespace iscsiscope
