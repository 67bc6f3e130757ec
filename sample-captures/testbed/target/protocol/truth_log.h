// SPDX-License-Identifier: GPL-2.0-or-later
// What the target knew of each session, connection and command, kept until it ends and then written
// (docs/formats.md, "Truth rows"). Without a path nothing is kept.
#pragma once

#include "sample-captures/testbed/common/tcp_info_sampler.h"
#include "sample-captures/testbed/common/truth_file.h"
#include "sample-captures/testbed/target/config/target_config.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace iscsiscope::testbed {

struct R2tRecord {
    std::int64_t time_ns = 0;
    std::uint32_t ttt = 0, r2t_sn = 0, offset = 0, length = 0;
};

// Times are 0 where the thing did not happen.
struct CommandRecord {
    std::uint64_t session = 0;
    std::string connection;
    std::uint16_t cid = 0;
    std::uint32_t itt = 0, cmd_sn = 0;
    bool immediate = false, read = false, write = false;
    std::uint8_t opcode = 0;
    std::uint32_t lun = 0;
    std::optional<std::int64_t> lba, blocks;
    std::uint32_t edtl = 0;
    std::int64_t received_ns = 0, started_ns = 0, first_data_ns = 0, data_complete_ns = 0, serviced_ns = 0,
                 status_ns = 0;
    std::vector<R2tRecord> r2ts;
    std::optional<std::uint8_t> status;
    std::int64_t residual = 0; // positive: underflow, negative: overflow
    const char *outcome = "aborted";

    // A PDU with data was handed to the socket, or arrived.
    void data_moved(std::int64_t ns) {
        if (first_data_ns == 0)
            first_data_ns = ns;
        data_complete_ns = ns;
    }
    // The PDU that carries the status was handed to the socket.
    void status_handed(std::int64_t ns) {
        status_ns = ns;
        outcome = "done";
    }
};

struct ConnectionRecord {
    std::string connection;
    std::optional<std::int64_t> session;
    std::uint16_t cid = 0;
    std::int64_t start_ns = 0, end_ns = 0;
    std::uint64_t bytes_received = 0, bytes_sent = 0;
    std::string end_reason;
};

struct SessionRecord {
    std::uint64_t session = 0;
    std::string initiator_name, isid;
    std::uint16_t tsih = 0;
    bool discovery = false;
    std::int64_t start_ns = 0, end_ns = 0;
    OperationalParameters keys;
};

class TruthLog {
public:
    explicit TruthLog(const TargetConfig &config);

    bool enabled() const { return enabled_; }
    // Null where nothing is kept.
    std::shared_ptr<CommandRecord> command();
    std::shared_ptr<ConnectionRecord> connection();
    std::shared_ptr<SessionRecord> session();
    TcpInfoSampler *sampler() { return enabled_ ? &sampler_ : nullptr; }

    // Opens the file at the start, so that a wrong path is reported then.
    Status open();
    Status write();

private:
    const TargetConfig &config_;
    bool enabled_;
    std::int64_t start_ns_;
    TruthFile file_;
    TcpInfoSampler sampler_;
    std::deque<std::shared_ptr<CommandRecord>> commands_;
    std::deque<std::shared_ptr<ConnectionRecord>> connections_;
    std::deque<std::shared_ptr<SessionRecord>> sessions_;
};

} // namespace iscsiscope::testbed
