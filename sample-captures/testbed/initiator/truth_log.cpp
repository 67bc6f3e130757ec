// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/initiator/truth_log.h"

#include "sample-captures/testbed/common/clock.h"

#include <fmt/format.h>

namespace iscsiscope::testbed::initiator {

namespace {

constexpr std::size_t commands_kept = std::size_t{1} << 18;

const char *outcome_name(TaskOutcome outcome) {
    switch (outcome) {
    case TaskOutcome::done:
        return "done";
    case TaskOutcome::aborted:
        return "aborted";
    case TaskOutcome::rejected:
        return "rejected";
    case TaskOutcome::pending:
    case TaskOutcome::lost:
        break;
    }
    return "lost";
}

std::string isid_text(const Isid &isid) {
    std::string text;
    for (const std::byte byte : isid)
        text += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
    return text;
}

std::string r2t_array(const std::vector<R2tNote> &r2ts) {
    std::string text = "[";
    for (const R2tNote &r2t : r2ts)
        text +=
            fmt::format("{}{{\"time_ns\":{},\"ttt\":{},\"r2t_sn\":{},\"offset\":{},\"length\":{}}}",
                        text.size() > 1 ? "," : "", r2t.time_ns, r2t.ttt, r2t.r2t_sn, r2t.offset, r2t.length);
    return text + "]";
}

} // namespace

Status TruthLog::open(const std::string &path, std::chrono::nanoseconds sample_period) {
    if (Status failure = file_.open(path))
        return failure;
    if (sample_period.count() > 0)
        sampler_ = std::make_unique<TcpInfoSampler>(sample_period);
    return std::nullopt;
}

void TruthLog::row(TruthRow &&row) {
    if (is_open())
        file_.write(row.text("side", "initiator"));
}

void TruthLog::session_open(const Session &session) {
    if (!is_open())
        return;
    const LoginSettings &login = session.settings().login;
    std::string keys = "{";
    for (const NegotiatedKey &key : session.negotiated().keys)
        if (!key.in_force.empty())
            keys += (keys.size() > 1 ? "," : "") + json_quoted(key.key) + ":" + json_quoted(key.in_force);
    row(std::move(TruthRow("session")
                      .number("session", session.number())
                      .text("initiator_name", login.initiator_name)
                      .text("isid", isid_text(login.isid))
                      .text("target_name", login.target_name)
                      .number("tsih", session.tsih())
                      .truth("discovery", login.target_name.empty())
                      .number("start_ns", realtime_ns())
                      .json("keys", keys + "}")));
}

void TruthLog::connection_open(const Session &session, Connection &connection) {
    if (!is_open())
        return;
    OpenConnection &open = connections_[key(session, connection.index())];
    open.name = static_cast<std::uint32_t>(names_.size());
    open.start_ns = realtime_ns();
    names_.push_back(connection.name());
    if (sampler_ && connection.link_is_open())
        open.sampler = sampler_->add(connection.link().descriptor(), names_.back());
}

void TruthLog::connection_end(const Session &session, Connection &connection, const std::string &reason) {
    const auto found = connections_.find(key(session, connection.index()));
    if (found == connections_.end())
        return;
    OpenConnection &open = found->second;
    if (open.sampler)
        sampler_->remove(*std::exchange(open.sampler, std::nullopt));
    row(std::move(TruthRow("connection")
                      .text("connection", names_[open.name])
                      .number("session", session.number())
                      .number("cid", connection.index())
                      .number("start_ns", open.start_ns)
                      .number("end_ns", realtime_ns())
                      .number("bytes_received", static_cast<std::int64_t>(connection.link().bytes_received()))
                      .number("bytes_sent", static_cast<std::int64_t>(connection.link().bytes_sent()))
                      .text("end_reason", reason)));
}

void TruthLog::task(const Session &session, const Task &task) {
    if (!is_open() || task.itt == InitiatorTaskTag::reserved) // never left the queue
        return;
    const auto connection = connections_.find(key(session, task.connection));
    commands_.push_back({session.number(),
                         task.connection,
                         static_cast<std::uint32_t>(task.itt),
                         task.cmd_sn.value,
                         task.blocks,
                         task.length(),
                         task.lba,
                         session.settings().lun,
                         std::to_integer<std::uint8_t>(task.cdb[0]),
                         task.status,
                         task.flow,
                         task.outcome,
                         task.residual,
                         task.submitted_ns,
                         task.handed_ns,
                         task.first_data_ns,
                         task.last_data_sent_ns,
                         task.status_ns,
                         connection == connections_.end() ? 0 : connection->second.name,
                         task.r2ts});
    if (commands_.size() >= commands_kept)
        write_commands();
}

void TruthLog::write_commands() {
    for (const Command &command : commands_) {
        TruthRow line("command");
        line.number("session", command.session)
            .text("connection", command.name < names_.size() ? names_[command.name] : std::string{})
            .number("cid", command.connection)
            .number("itt", command.itt)
            .number("cmd_sn", command.cmd_sn)
            .truth("immediate", false)
            .number("opcode", command.opcode)
            .number("lun", static_cast<std::int64_t>(command.lun));
        if (command.blocks > 0)
            line.number("lba", static_cast<std::int64_t>(command.lba)).number("blocks", command.blocks);
        else
            line.json("lba", "null").json("blocks", "null");
        line.number("edtl", command.length)
            .truth("read", command.flow == DataFlow::read)
            .truth("write", command.flow == DataFlow::write)
            .number("submitted_ns", command.submitted_ns)
            .number("handed_ns", command.handed_ns)
            .number("first_data_ns", command.first_data_ns)
            .json("r2ts", r2t_array(command.r2ts))
            .number("last_data_sent_ns", command.last_data_sent_ns)
            .number("status_ns", command.status_ns);
        if (command.outcome == TaskOutcome::done)
            line.number("status", command.status);
        else
            line.json("status", "null");
        row(std::move(
            line.number("residual", command.residual).text("outcome", outcome_name(command.outcome))));
    }
    commands_.clear();
}

Status TruthLog::close() {
    if (!is_open())
        return std::nullopt;
    write_commands();
    if (sampler_) {
        sampler_->stop();
        sampler_->write(file_, "initiator");
    }
    return file_.close();
}

} // namespace iscsiscope::testbed::initiator
