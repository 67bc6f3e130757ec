// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/initiator/workload/command_runner.h"

#include "analyzer/iscsi/scsi/sense_codes.h"
#include "analyzer/iscsi/scsi/status.h"
#include "sample-captures/testbed/common/clock.h"
#include "sample-captures/testbed/initiator/workload/data_pattern.h"

#include <algorithm>

#include <asio/post.hpp>
#include <asio/steady_timer.hpp>

namespace iscsiscope::testbed::initiator {

namespace {
constexpr std::uint8_t unit_attention = 6; // sense key
constexpr unsigned max_tries = 1000;       // of one command, retries of a busy target included
constexpr auto busy_pause = std::chrono::milliseconds(10);
} // namespace

CommandRunner::CommandRunner(asio::io_context &io, std::vector<Session *> mirrors, BufferPool &buffers,
                             DataVerifier *verifier, std::uint32_t &next_generation, RunnerSettings settings,
                             Source source, std::function<void()> finished)
    : io_(io), mirrors_(std::move(mirrors)), buffers_(buffers), verifier_(verifier),
      next_generation_(next_generation), settings_(std::move(settings)), source_(std::move(source)),
      finished_(std::move(finished)), processes_(settings_.processes) {
    if (settings_.open_requests == 0)
        settings_.open_requests = settings_.depth;
    for (Process &process : processes_)
        process.free_places = settings_.open_requests;
    for (const Session *mirror : mirrors_)
        figures_.connections.emplace_back(mirror->connections().size());
}

void CommandRunner::start() {
    figures_.start_ns = figures_.end_ns = realtime_ns();
    pump_all();
    check_finished();
}

void CommandRunner::end_drawing() {
    drawing_ = false;
    check_finished();
}

void CommandRunner::abandon() {
    drawing_ = false;
    abandoned_ = true;
    for (Process &process : processes_) {
        for (const auto &request : process.issuing) {
            request->good = request->good && request->parts.empty();
            request->parts.clear();
            if (request->in_flight == 0)
                --open_;
        }
        process.issuing.clear();
    }
    check_finished();
}

void CommandRunner::check_finished() {
    if (drawing_ || open_ > 0 || !finished_)
        return;
    asio::post(io_, std::exchange(finished_, nullptr));
}

void CommandRunner::pump_all() {
    for (unsigned process = 0; process < processes_.size(); ++process)
        pump(process);
}

bool CommandRunner::draw(unsigned index) {
    Process &process = processes_[index];
    if (!drawing_ || process.free_places == 0)
        return false;
    const auto drawn = source_(index);
    if (!drawn) {
        drawing_ = false;
        return false;
    }
    --process.free_places;
    ++open_;
    auto request = std::make_shared<OpenRequest>();
    request->process = index;
    request->start_ns = realtime_ns();
    request->write = drawn->write;
    request->next_lba = drawn->range.first;
    const auto parts = split_request(drawn->range.count, settings_.split);
    request->parts.assign(parts.begin(), parts.end());
    process.issuing.push_back(std::move(request));
    if (settings_.write_same_every != 0 && ++drawn_ % settings_.write_same_every == 0)
        write_same();
    return true;
}

// A long command without data of its own to speak of, beside the requests.
void CommandRunner::write_same() {
    auto task = std::make_shared<Task>();
    task->cdb = write_same_cdb(settings_.write_same_range.first,
                               static_cast<std::uint32_t>(settings_.write_same_range.count));
    task->flow = DataFlow::write;
    task->data = buffers_.acquire(settings_.block_bytes);
    std::fill(task->data->begin(), task->data->end(), std::byte{0});
    task->ended = [this](Task &ended) {
        --open_;
        if (ended.outcome == TaskOutcome::lost)
            lost_ = true;
        else if (ended.outcome != TaskOutcome::done ||
                 static_cast<ScsiStatus>(ended.status) != ScsiStatus::good)
            fail("WRITE SAME: " + std::string(name(static_cast<ScsiStatus>(ended.status))));
        check_finished();
    };
    ++open_;
    mirrors_.front()->submit(std::move(task));
}

void CommandRunner::pump(unsigned index) {
    Process &process = processes_[index];
    while (!abandoned_ && process.commands_out < settings_.depth) {
        if (process.issuing.empty() && !draw(index))
            break;
        const std::shared_ptr<OpenRequest> request = process.issuing.front();
        const BlockRange next{request->next_lba, request->parts.front()};
        if (verifier_ && verifier_->conflicts(next, request->write))
            break; // the end of the other command pumps again
        issue(request);
        if (!process.issuing.empty() && process.issuing.front() == request && request->parts.empty())
            process.issuing.pop_front();
    }
}

void CommandRunner::issue(const std::shared_ptr<OpenRequest> &request) {
    auto part = std::make_shared<Part>();
    part->request = request;
    part->range = {request->next_lba, request->parts.front()};
    part->write = request->write;
    request->next_lba += part->range.count;
    request->parts.pop_front();
    ++request->in_flight;
    ++processes_[request->process].commands_out;
    if (verifier_)
        verifier_->begin(part->range, part->write);
    if (part->write) {
        part->generation = next_generation_++;
        part->data = buffers_.acquire(part->range.count * settings_.block_bytes);
        fill_pattern(*part->data, settings_.block_bytes, part->range.first, part->generation, settings_.seed);
    }
    part->start_ns = realtime_ns();
    const auto mirrors = static_cast<unsigned>(mirrors_.size());
    if (part->write || settings_.read_every_mirror) {
        part->mirrors_left = mirrors;
        for (unsigned mirror = 0; mirror < mirrors; ++mirror)
            submit(part, mirror, false);
    } else {
        part->mirrors_left = 1;
        submit(part, turn_++ % mirrors, false);
    }
}

void CommandRunner::submit(const std::shared_ptr<Part> &part, unsigned mirror, bool second_try) {
    auto task = std::make_shared<Task>();
    const auto blocks = static_cast<std::uint32_t>(part->range.count);
    task->cdb = part->write ? write_cdb(part->range.first, blocks) : read_cdb(part->range.first, blocks);
    task->flow = part->write ? DataFlow::write : DataFlow::read;
    task->data = part->write ? part->data : buffers_.acquire(part->range.count * settings_.block_bytes);
    task->lba = part->range.first;
    task->blocks = blocks;
    task->no_abort = second_try;
    task->ended = [this, part, mirror](Task &ended) { on_end(part, mirror, ended); };
    mirrors_[mirror]->submit(std::move(task));
}

// True: the command goes (or has gone) out again.
bool CommandRunner::retry(const std::shared_ptr<Part> &part, unsigned mirror, const Task &task) {
    if (task.outcome == TaskOutcome::lost || abandoned_ || ++part->tries > max_tries)
        return false;
    if (task.outcome == TaskOutcome::aborted) {
        submit(part, mirror, true);
        return true;
    }
    if (task.outcome != TaskOutcome::done)
        return false;
    const auto status = static_cast<ScsiStatus>(task.status);
    if (status == ScsiStatus::check_condition && task.sense && task.sense->key == unit_attention) {
        ++figures_.retried;
        submit(part, mirror, task.no_abort);
        return true;
    }
    if (status != ScsiStatus::busy && status != ScsiStatus::task_set_full)
        return false;
    ++figures_.retried;
    const auto timer = std::make_shared<asio::steady_timer>(io_, busy_pause);
    timer->async_wait([this, timer, part, mirror, again = task.no_abort](const asio::error_code &error) {
        if (!error)
            submit(part, mirror, again);
    });
    return true;
}

void CommandRunner::on_end(const std::shared_ptr<Part> &part, unsigned mirror, Task &task) {
    if (task.outcome == TaskOutcome::aborted)
        ++figures_.aborted;
    const bool good =
        task.outcome == TaskOutcome::done && static_cast<ScsiStatus>(task.status) == ScsiStatus::good;
    if (!good && retry(part, mirror, task))
        return;
    const Session &session = *mirrors_[mirror];
    if (good) {
        ConnectionFigures &figures = figures_.connections[mirror][task.connection];
        ++figures.commands;
        figures.bytes += task.length();
        if (verifier_ && !part->write)
            verifier_->check(part->range, *task.data, session.settings().connection.host);
    } else {
        part->good = false;
        if (task.outcome == TaskOutcome::lost)
            lost_ = true;
        else if (!abandoned_) {
            std::string why = std::string(part->write ? "write" : "read") + " of block " +
                              std::to_string(part->range.first) + ": ";
            if (task.outcome == TaskOutcome::rejected)
                why += "refused by the target";
            else
                why += std::string(name(static_cast<ScsiStatus>(task.status)));
            if (task.sense)
                why += ", " + std::string(sense_key_name(task.sense->key)) + " " +
                       std::string(sense_code_name(task.sense->asc, task.sense->ascq));
            fail(std::move(why));
        }
    }
    if (--part->mirrors_left == 0)
        finish_part(part);
}

void CommandRunner::fail(std::string why) {
    if (figures_.errors++ == 0)
        figures_.first_error = std::move(why);
    if (!settings_.keep_going)
        drawing_ = false;
}

void CommandRunner::finish_part(const std::shared_ptr<Part> &part) {
    const std::int64_t now = realtime_ns();
    const std::uint64_t bytes = part->range.count * settings_.block_bytes;
    if (part->good) {
        figures_.end_ns = now;
        (part->write ? figures_.write_commands : figures_.read_commands) += 1;
        (part->write ? figures_.bytes_written : figures_.bytes_read) += bytes;
        (part->write ? figures_.write_latency : figures_.read_latency).add(now - part->start_ns);
    }
    if (verifier_) {
        if (part->write)
            verifier_->end_write(part->range, part->generation, part->good);
        else
            verifier_->end_read(part->range);
    }
    if (lost_)
        abandon(); // before this command is taken off its request, which still counts as begun
    OpenRequest &request = *part->request;
    request.good = request.good && part->good;
    --processes_[request.process].commands_out;
    --request.in_flight;
    if (request.in_flight == 0 && request.parts.empty())
        finish_request(request);
    // Where blocks are kept apart, this end may have set another process free.
    if (verifier_)
        pump_all();
    else
        pump(request.process);
    check_finished();
}

void CommandRunner::finish_request(const OpenRequest &request) {
    --open_;
    if (request.good) {
        ++figures_.requests;
        figures_.request_latency.add(realtime_ns() - request.start_ns);
    }
    if (settings_.think.count() == 0)
        return give_place_back(request.process);
    const auto timer = std::make_shared<asio::steady_timer>(
        io_, std::chrono::duration_cast<std::chrono::steady_clock::duration>(settings_.think));
    timer->async_wait([this, timer, process = request.process](const asio::error_code &error) {
        if (error)
            return;
        give_place_back(process);
        pump(process);
        check_finished();
    });
}

void CommandRunner::give_place_back(unsigned process) {
    ++processes_[process].free_places;
}

} // namespace iscsiscope::testbed::initiator
