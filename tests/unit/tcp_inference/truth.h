// SPDX-License-Identifier: GPL-2.0-or-later
// What the kernel said of a sender (TCP_INFO), from a truth file beside a capture.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace iscsiscope::test {

struct TcpInfoRow {
    std::int64_t time_ns = 0;
    std::uint64_t cwnd = 0; // packets
    std::uint64_t mss = 0;
    std::uint64_t unacked = 0, sacked = 0, lost = 0, retransmitted = 0; // packets
    int congestion_state = 0; // 0 open, 1 disorder, 2 cwr, 3 recovery, 4 loss

    std::uint64_t pipe() const {
        const std::uint64_t out = unacked + retransmitted;
        return out > sacked + lost ? out - sacked - lost : 0;
    }
};

// From NAME.truth.jsonl, rows of one side ("initiator" or "target"), or from a table of the form
// "# unix_time sport … cong ca_state snd_cwnd …" (side is then not looked at). Rows of the connection
// whose sender has this port; empty if the file cannot be read.
std::vector<TcpInfoRow> read_truth(const std::string &path, const std::string &side,
                                   std::uint16_t sender_port);

} // namespace iscsiscope::test
