// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "sample-captures/testbed/net/disk_writer.h"
#include "sample-captures/testbed/run/child.h"
#include "sample-captures/testbed/run/live_tcp.h"
#include "sample-captures/testbed/run/progress.h"

#include <memory>
#include <optional>

namespace iscsiscope::testbed::run {

// Where a program's standard error goes, and what it knew (its truth rows); an empty `truth`: not asked for.
struct ProgramFiles {
    std::string log;
    std::string truth;
};

struct ProgramResult {
    std::string name;
    std::uint32_t host = 0;
    std::string end;                       // why it failed; empty: it ended well
    std::string note;                      // a remark on its end
    std::string output;                    // its standard output
    std::optional<std::int64_t> waited_ns; // for a processor
    ProgramFiles files;
};

struct Outcome {
    bool interrupted = false;
    Status failure;                   // the run could not be carried through
    std::vector<std::string> reasons; // it was, but does not count
    std::vector<ProgramResult> programs;
};

// Starts and ends the programs around the shim: servers first, clients when all servers are ready,
// then waits for the clients, ends the servers, lets the last packets arrive.
// SIGINT, SIGTERM, SIGHUP and SIGCHLD are blocked by the caller.
class Conductor {
public:
    // `files`: by program. `disk`: what writes the captures; null: none is on a disk.
    Conductor(const scenario::Scenario &scenario, shim::Shim &shim,
              const std::vector<shim::NetNamespace> &spaces, const std::vector<ProgramFiles> &files,
              const shim::DiskWriter *disk, Progress &progress);
    Outcome run();
    // As a signal does; from a function of a file that the shim watches.
    void interrupt();

private:
    enum class Phase : std::uint8_t { servers, clients, draining, ending, over };

    bool start(std::size_t program);
    void on_signal();
    void on_tick();
    void on_output(std::size_t program);
    void on_ended(std::size_t program);
    void drain_when_done();
    void start_due_clients();
    void fail(const std::string &why);
    void enter(Phase phase);
    bool any_running(scenario::Program::Role role) const;
    void signal_all(scenario::Program::Role role, int number) const;

    const scenario::Scenario &scenario_;
    shim::Shim &shim_;
    const std::vector<shim::NetNamespace> &spaces_;
    const shim::DiskWriter *disk_;
    Progress &progress_;
    std::optional<LiveTcp> live_;                // only where progress asks for it
    std::vector<std::optional<Child>> children_; // by program
    shim::FileDescriptor signals_;
    shim::FileDescriptor tick_;
    Phase phase_ = Phase::servers;
    shim::Instant phase_start_;
    shim::Instant quiet_since_;
    std::uint64_t seen_packets_ = 0;
    bool clients_signalled_ = false;
    bool duration_over_ = false;
    Outcome outcome_;
};

} // namespace iscsiscope::testbed::run
