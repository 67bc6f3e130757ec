// SPDX-License-Identifier: GPL-2.0-or-later
// The initiator's part of a truth file (docs/formats.md, "Truth rows").
#pragma once

#include "sample-captures/testbed/common/tcp_info_sampler.h"
#include "sample-captures/testbed/common/truth_file.h"
#include "sample-captures/testbed/initiator/session/session.h"

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace iscsiscope::testbed::initiator {

// One thread. Commands are kept in binary and written when many have gathered or at the end, so that
// formatting does not stand between commands.
class TruthLog {
public:
    // sample_period: of TCP_INFO; 0: none.
    Status open(const std::string &path, std::chrono::nanoseconds sample_period);
    bool is_open() const { return file_.is_open(); }

    void session_open(const Session &session);
    void connection_open(const Session &session, Connection &connection);
    void connection_end(const Session &session, Connection &connection, const std::string &reason);
    void task(const Session &session, const Task &task);
    // A row of another kind, complete but for "side".
    void row(TruthRow &&row);
    // Writes what is left and gives the file its name.
    Status close();

private:
    struct Command {
        std::uint32_t session, connection, itt, cmd_sn, blocks, length;
        std::uint64_t lba, lun;
        std::uint8_t opcode, status;
        DataFlow flow;
        TaskOutcome outcome;
        std::int64_t residual, submitted_ns;
        std::optional<std::int64_t> handed_ns, first_data_ns, last_data_sent_ns, status_ns;
        std::uint32_t name; // index into names_
        std::vector<R2tNote> r2ts;
    };
    struct OpenConnection {
        std::uint32_t name = 0;
        std::int64_t start_ns = 0;
        std::optional<std::uint64_t> sampler;
    };
    static std::uint64_t key(const Session &session, unsigned connection) {
        return (std::uint64_t{session.number()} << 32) | connection;
    }
    void write_commands();

    TruthFile file_;
    std::unique_ptr<TcpInfoSampler> sampler_;
    std::vector<std::string> names_;
    std::unordered_map<std::uint64_t, OpenConnection> connections_;
    std::vector<Command> commands_;
};

} // namespace iscsiscope::testbed::initiator
