// SPDX-License-Identifier: GPL-2.0-or-later
// The output of a run: its report, its progress, and the notices of its sessions.
#include "sample-captures/testbed/initiator/workload_run.h"

#include "sample-captures/testbed/common/clock.h"

#include <asio/post.hpp>

#include <algorithm>
#include <cstdio>

namespace iscsiscope::testbed::initiator {

namespace {
constexpr unsigned max_notices = 20; // printed
}

void WorkloadRun::fill_report() {
    report_.workload = name(options_.workload);
    report_.block_bytes = options_.block;
    report_.depth = options_.depth;
    report_.processes = options_.processes;
    report_.connections = options_.connections;
    for (std::size_t i = 0; i < sessions_.size(); ++i) {
        const Session &session = *sessions_[i];
        TargetReport target;
        target.portal = options_.targets[i].portal();
        target.name = options_.targets[i].name;
        target.lun = options_.targets[i].lun;
        target.vendor = units_[i].vendor;
        target.product = units_[i].product;
        target.blocks = units_[i].blocks;
        target.block_bytes = units_[i].block_bytes;
        target.r2ts = session.counters().r2ts;
        target.aborts = session.counters().aborts;
        target.rejects = session.counters().rejects;
        for (const auto &connection : session.connections())
            target.connection_names.push_back(connection->name());
        for (const NegotiatedKey &key : session.negotiated().keys)
            if (!key.in_force.empty())
                target.keys.emplace_back(key.key, key.in_force);
        report_.targets.push_back(std::move(target));
    }
}

ProgressNow WorkloadRun::progress_now() const {
    ProgressNow now;
    now.phase = phase_name_;
    now.connections = tuner_ ? tuner_->tuner().current() : options_.connections;
    if (runners_.empty())
        return now;
    const RunFigures &figures = runners_.back()->figures();
    now.bytes = figures.bytes();
    now.commands = figures.commands();
    if (phase_ != Phase::running)
        return now;
    double share = -1;
    if (options_.count)
        share = static_cast<double>(figures.requests) / static_cast<double>(*options_.count);
    if (options_.size)
        share = std::max(share, static_cast<double>(figures.bytes()) / static_cast<double>(*options_.size));
    if (options_.duration && options_.duration->count() > 0)
        share = std::max(share, static_cast<double>(realtime_ns() - figures.start_ns) /
                                    static_cast<double>(options_.duration->count()));
    if (share >= 0)
        now.share = std::min(share, 1.0);
    return now;
}

void WorkloadRun::on_connection_open(Session &session, Connection &connection) {
    truth_.connection_open(session, connection);
}

void WorkloadRun::on_connection_end(Session &session, Connection &connection, const std::string &reason) {
    truth_.connection_end(session, connection, reason);
}

void WorkloadRun::on_task_end(Session &session, const Task &task) {
    truth_.task(session, task);
}

void WorkloadRun::on_notice(Session &session, const std::string &text) {
    if (++notices_ <= max_notices)
        std::fprintf(stderr, "initiator: %s: %s\n", options_.targets[session.number() - 1].portal().c_str(),
                     text.c_str());
}

void WorkloadRun::count_hidden_notices() const {
    if (notices_ > max_notices)
        std::fprintf(stderr, "initiator: %u more notices of the target are not shown\n",
                     notices_ - max_notices);
}

void WorkloadRun::on_session_end(Session &, const std::string &reason, bool gone) {
    error(1, (gone ? "lost the target: " : "") + reason);
    interrupted_ = true; // no further phase
    if (!runners_.empty())
        runners_.back()->abandon();
    else
        asio::post(io_, [this] { close_sessions(); });
}

} // namespace iscsiscope::testbed::initiator
