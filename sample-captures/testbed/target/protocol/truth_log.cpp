// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/target/protocol/truth_log.h"

#include "analyzer/iscsi/text/negotiation.h"
#include "sample-captures/testbed/common/clock.h"

#include <array>

#include <fmt/format.h>

namespace iscsiscope::testbed {
namespace {

std::optional<std::int64_t> happened(std::int64_t time_ns) {
    return time_ns == 0 ? std::nullopt : std::optional(time_ns);
}

template <class Record>
std::shared_ptr<Record> keep(bool enabled, std::deque<std::shared_ptr<Record>> &records) {
    return enabled ? records.emplace_back(std::make_shared<Record>()) : nullptr;
}

TruthRow row_of(const CommandRecord &c) {
    std::string r2ts = "[";
    for (const R2tRecord &r : c.r2ts)
        if (r.time_ns != 0)
            r2ts += fmt::format("{}{{\"time_ns\":{},\"ttt\":{},\"r2t_sn\":{},\"offset\":{},\"length\":{}}}",
                                r2ts.size() > 1 ? "," : "", r.time_ns, r.ttt, r.r2t_sn, r.offset, r.length);
    TruthRow row("command");
    row.text("side", "target")
        .number("session", static_cast<std::int64_t>(c.session))
        .text("connection", c.connection)
        .number("cid", std::int64_t{c.cid})
        .number("itt", std::int64_t{c.itt})
        .number("cmd_sn", std::int64_t{c.cmd_sn})
        .truth("immediate", c.immediate)
        .number("opcode", std::int64_t{c.opcode})
        .number("lun", std::int64_t{c.lun})
        .number("lba", c.lba)
        .number("blocks", c.blocks)
        .number("edtl", std::int64_t{c.edtl})
        .truth("read", c.read)
        .truth("write", c.write)
        .number("received_ns", c.received_ns)
        .number("started_ns", happened(c.started_ns))
        .number("first_data_ns", happened(c.first_data_ns))
        .json("r2ts", r2ts + "]")
        .number("data_complete_ns", happened(c.data_complete_ns))
        .number("serviced_ns", happened(c.serviced_ns))
        .number("status_ns", happened(c.status_ns))
        .number("status", c.status ? std::optional(std::int64_t{*c.status}) : std::nullopt)
        .number("residual", c.residual)
        .text("outcome", c.outcome);
    return row;
}

TruthRow row_of(const ConnectionRecord &c) {
    TruthRow row("connection");
    row.text("side", "target")
        .text("connection", c.connection)
        .number("session", c.session)
        .number("cid", std::int64_t{c.cid})
        .number("start_ns", c.start_ns)
        .number("end_ns", happened(c.end_ns))
        .number("bytes_received", static_cast<std::int64_t>(c.bytes_received))
        .number("bytes_sent", static_cast<std::int64_t>(c.bytes_sent))
        .text("end_reason", c.end_reason);
    return row;
}

TruthRow row_of(const SessionRecord &s, const std::string &target_name) {
    std::string keys = "{";
    for (const KeyValue &k : offer_keys(s.keys, Party::initiator))
        keys += fmt::format("{}{}:{}", keys.size() > 1 ? "," : "", json_quoted(k.key), json_quoted(k.value));
    TruthRow row("session");
    row.text("side", "target")
        .number("session", static_cast<std::int64_t>(s.session))
        .text("initiator_name", s.initiator_name)
        .text("isid", s.isid)
        .text("target_name", target_name)
        .number("tsih", std::int64_t{s.tsih})
        .truth("discovery", s.discovery)
        .number("start_ns", s.start_ns)
        .number("end_ns", happened(s.end_ns))
        .json("keys", keys + "}");
    return row;
}

} // namespace

TruthLog::TruthLog(const TargetConfig &config)
    : config_(config), enabled_(!config.truth_path.empty()), start_ns_(realtime_ns()),
      sampler_(config.truth_period) {}

std::shared_ptr<CommandRecord> TruthLog::command() {
    return keep(enabled_, commands_);
}
std::shared_ptr<ConnectionRecord> TruthLog::connection() {
    return keep(enabled_, connections_);
}
std::shared_ptr<SessionRecord> TruthLog::session() {
    return keep(enabled_, sessions_);
}

Status TruthLog::open() {
    return enabled_ ? file_.open(config_.truth_path) : std::nullopt;
}

Status TruthLog::write() {
    if (!enabled_)
        return std::nullopt;
    sampler_.stop();
    TruthRow run("run");
    run.text("side", "target")
        .text("program", "iscsiscope-testbed target")
        .number("start_ns", start_ns_)
        .number("end_ns", realtime_ns())
        .text("name", config_.name)
        .number("seed", static_cast<std::int64_t>(config_.seed));
    file_.write(run);
    for (const auto &s : sessions_)
        file_.write(row_of(*s, config_.name));
    for (const auto &c : connections_)
        file_.write(row_of(*c));
    for (const auto &c : commands_)
        file_.write(row_of(*c));
    sampler_.write(file_, "target");
    return file_.close();
}

} // namespace iscsiscope::testbed
