// SPDX-License-Identifier: GPL-2.0-or-later
// Drives sessions with requests: processes, depth, splits, mirrors, think time, retries, checks.
#pragma once

#include "sample-captures/testbed/initiator/session/buffer_pool.h"
#include "sample-captures/testbed/initiator/session/session.h"
#include "sample-captures/testbed/initiator/workload/data_verifier.h"
#include "sample-captures/testbed/initiator/workload/run_figures.h"
#include "sample-captures/testbed/initiator/workload/workload.h"

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace iscsiscope::testbed::initiator {

struct RunnerSettings {
    unsigned processes = 1;
    unsigned depth = 1;                // commands out at once, each process
    unsigned open_requests = 0;        // requests begun and not ended, each process; 0: as many as depth
    std::chrono::nanoseconds think{0}; // from the end of a request to the next of its place
    std::vector<std::uint64_t> split;  // blocks; empty: a request is one command
    std::uint32_t block_bytes = 512;
    bool read_every_mirror = false; // read-back; else reads go to the mirrors in turn
    bool keep_going = false;        // after a command that failed
    std::uint64_t seed = 1;         // of the data written
    unsigned write_same_every = 0;  // requests, behind which a WRITE SAME goes out beside them; 0: none
    BlockRange write_same_range;
};

// One thread. Lives until its finished callback has been called or the io_context runs no more.
class CommandRunner {
public:
    // The next request of a process; nothing: no more from any.
    using Source = std::function<std::optional<Request>(unsigned process)>;

    // verifier: null where nothing is checked. next_generation is shared by the phases of a program.
    CommandRunner(asio::io_context &io, std::vector<Session *> mirrors, BufferPool &buffers,
                  DataVerifier *verifier, std::uint32_t &next_generation, RunnerSettings settings,
                  Source source, std::function<void()> finished);

    void start();
    // No more requests; those begun are completed, then finished() is called.
    void end_drawing();
    // No more commands either.
    void abandon();
    const RunFigures &figures() const { return figures_; }
    bool session_lost() const { return lost_; }

private:
    struct OpenRequest {
        unsigned process = 0;
        std::int64_t start_ns = 0;
        bool write = false;
        std::uint64_t next_lba = 0;
        std::deque<std::uint64_t> parts; // blocks, not yet issued
        std::size_t in_flight = 0;
        bool good = true;
    };
    struct Part { // one command, on each of its mirrors
        std::shared_ptr<OpenRequest> request;
        BlockRange range;
        bool write = false;
        std::shared_ptr<Buffer> data; // of a write
        std::uint32_t generation = 0;
        std::int64_t start_ns = 0;
        unsigned mirrors_left = 0;
        unsigned tries = 0;
        bool good = true;
    };
    struct Process {
        unsigned commands_out = 0;
        unsigned free_places = 0;                         // requests that may begin
        std::deque<std::shared_ptr<OpenRequest>> issuing; // with parts left, oldest first
    };

    void pump_all();
    void pump(unsigned process);
    bool draw(unsigned process);
    void issue(const std::shared_ptr<OpenRequest> &request);
    void submit(const std::shared_ptr<Part> &part, unsigned mirror, bool second_try);
    void on_end(const std::shared_ptr<Part> &part, unsigned mirror, Task &task);
    bool retry(const std::shared_ptr<Part> &part, unsigned mirror, const Task &task);
    void finish_part(const std::shared_ptr<Part> &part);
    void finish_request(const OpenRequest &request);
    void give_place_back(unsigned process);
    void write_same();
    void fail(std::string why);
    void check_finished();

    asio::io_context &io_;
    std::vector<Session *> mirrors_;
    BufferPool &buffers_;
    DataVerifier *verifier_;
    std::uint32_t &next_generation_;
    RunnerSettings settings_;
    Source source_;
    std::function<void()> finished_;
    std::vector<Process> processes_;
    RunFigures figures_;
    unsigned turn_ = 0; // mirror of the next read
    std::uint64_t drawn_ = 0;
    std::size_t open_ = 0; // requests
    bool drawing_ = true;
    bool abandoned_ = false;
    bool lost_ = false;
};

} // namespace iscsiscope::testbed::initiator
