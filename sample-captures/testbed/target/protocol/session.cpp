// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/target/protocol/session.h"

#include "analyzer/iscsi/scsi/lun.h"
#include "sample-captures/testbed/common/clock.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace iscsiscope::testbed {

Session::Session(TargetServices &services, TargetSessions &sessions, std::uint64_t number,
                 const LoginOutcome &who, std::uint16_t tsih)
    : services_(services), sessions_(sessions), number_(number), who_(who), tsih_(tsih),
      exp_cmd_sn_(who.cmd_sn), max_cmd_sn_(who.cmd_sn + (services.config.faults.command_window - 1)),
      record_(services.truth.session()) {
    if (!record_)
        return;
    record_->session = number_;
    record_->initiator_name = who_.initiator_name;
    for (const std::byte b : who_.isid)
        record_->isid += fmt::format("{:02x}", std::to_integer<unsigned>(b));
    record_->tsih = tsih_;
    record_->discovery = who_.discovery;
    record_->start_ns = realtime_ns();
    record_->keys = who_.parameters;
}

Session::~Session() {
    if (record_)
        record_->end_ns = realtime_ns();
}

bool Session::take(CmdSn number, bool immediate, std::function<void()> carry_out) {
    if (immediate) {
        carry_out();
        return true;
    }
    if (number < exp_cmd_sn_ || number > max_cmd_sn() || early_.contains(number.value))
        return false;
    if (number != exp_cmd_sn_) { // a hole: on another connection, what fills it is under way
        early_.emplace(number.value, std::move(carry_out));
        return true;
    }
    ++exp_cmd_sn_;
    carry_out();
    for (auto next = early_.find(exp_cmd_sn_.value); next != early_.end();
         next = early_.find(exp_cmd_sn_.value)) {
        const std::function<void()> run = std::move(next->second);
        early_.erase(next);
        ++exp_cmd_sn_;
        run();
    }
    return true;
}

// Never goes back (RFC 7143 section 4.2.2.1).
CmdSn Session::max_cmd_sn() {
    const Faults &faults = services_.config.faults;
    // Tasks beyond a hole count too, but have not moved ExpCmdSN yet.
    const auto early = static_cast<std::uint32_t>(early_.size());
    const std::uint32_t held =
        faults.window_policy == WindowPolicy::closing && in_window_ > early ? in_window_ - early : 0;
    const std::uint32_t free = faults.command_window > held ? faults.command_window - held : 0;
    const CmdSn open = newer(max_cmd_sn_, exp_cmd_sn_ + free - 1);
    withheld_ = open != max_cmd_sn_ && throttled();
    if (!withheld_)
        max_cmd_sn_ = open;
    return max_cmd_sn_;
}

bool Session::throttled() const {
    return std::any_of(
        connections_.begin(), connections_.end(), [](const auto &c) { return c.second->throttled(); });
}

void Session::add_task(std::shared_ptr<ScsiTask> task) {
    if (!task->command().immediate)
        ++in_window_;
    tasks_[static_cast<std::uint32_t>(task->command().initiator_task_tag)] = std::move(task);
}

std::shared_ptr<ScsiTask> Session::find_task(InitiatorTaskTag tag) {
    const auto at = tasks_.find(static_cast<std::uint32_t>(tag));
    return at == tasks_.end() ? nullptr : at->second;
}

void Session::end_task(const ScsiTask &task) {
    const auto at = tasks_.find(static_cast<std::uint32_t>(task.command().initiator_task_tag));
    if (at == tasks_.end() || at->second.get() != &task)
        return;
    if (!task.command().immediate)
        --in_window_;
    tasks_.erase(at);
}

std::size_t Session::abort_tasks(const std::function<bool(ScsiTask &)> &which) {
    std::vector<std::shared_ptr<ScsiTask>> found;
    for (const auto &[tag, task] : tasks_)
        if (which(*task))
            found.push_back(task);
    for (const auto &task : found) {
        task->abort();
        end_task(*task);
    }
    return found.size();
}

std::uint8_t Session::manage(const TaskManagementRequest &r) {
    constexpr std::uint8_t complete = 0, no_such_task = 1, no_such_lun = 2, reassign_unsupported = 4,
                           unsupported = 5;
    const std::uint32_t lun = lun_number(r.lun).value_or(0xffffffff);
    const bool lun_exists = services_.units.find(lun) != nullptr;
    switch (r.function) {
    case TaskManagementFunction::abort_task: {
        const std::shared_ptr<ScsiTask> task = find_task(r.referenced_task_tag);
        if (task && task->lun() == lun) {
            task->abort();
            end_task(*task);
            return complete;
        }
        // Not here: either it is done, or it is still under way, and must then not be carried out
        // (RFC 7143 section 11.6.1): its CmdSN is taken as received.
        if (r.ref_cmd_sn >= exp_cmd_sn_ && r.ref_cmd_sn <= max_cmd_sn()) {
            take(r.ref_cmd_sn, false, [] {});
            return complete;
        }
        return no_such_task;
    }
    case TaskManagementFunction::abort_task_set:
        if (!lun_exists)
            return no_such_lun;
        abort_tasks([&](ScsiTask &t) { return t.lun() == lun; });
        return complete;
    case TaskManagementFunction::clear_task_set:
        if (!lun_exists)
            return no_such_lun;
        sessions_.abort_everywhere([&](ScsiTask &t) { return t.lun() == lun; });
        return complete;
    case TaskManagementFunction::logical_unit_reset:
        if (!lun_exists)
            return no_such_lun;
        sessions_.reset_unit(lun);
        return complete;
    case TaskManagementFunction::target_warm_reset:
    case TaskManagementFunction::target_cold_reset: // the connections end behind the response
        sessions_.reset_all();
        return complete;
    case TaskManagementFunction::task_reassign:
        return reassign_unsupported;
    default:
        return unsupported;
    }
}

} // namespace iscsiscope::testbed
