// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/initiator/initiator_main.h"

#include "sample-captures/testbed/initiator/options.h"
#include "sample-captures/testbed/initiator/workload_run.h"

#include <asio/signal_set.hpp>

#include <csignal>
#include <cstdio>
#include <functional>

namespace iscsiscope::testbed {

namespace {

using namespace initiator;

// The first signal asks for an orderly end, the second ends at once.
class SignalHandler {
public:
    SignalHandler(asio::io_context &io, std::function<void()> first)
        : io_(io), signals_(io, SIGINT, SIGTERM), first_(std::move(first)) {
        wait();
    }

private:
    void wait() {
        signals_.async_wait([this](const asio::error_code &error, int) {
            if (error)
                return;
            if (!first_)
                return io_.stop();
            std::exchange(first_, nullptr)();
            wait();
        });
    }
    asio::io_context &io_;
    asio::signal_set signals_;
    std::function<void()> first_;
};

int put(const std::string &text, int exit_code) {
    if (std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0) {
        std::fprintf(stderr, "initiator: the report cannot be written\n");
        return std::max(exit_code, 1);
    }
    return exit_code;
}

int run_workload(asio::io_context &io, const Options &options) {
    WorkloadRun run(io, options);
    SignalHandler signals(io, [&run] { run.interrupt(); });
    run.start();
    if (!run.ended())
        io.run();
    if (!run.ended()) {
        std::fprintf(stderr, "initiator: ended at once, without logout\n");
        return 1;
    }
    const RunReport &report = run.report();
    if (options.mode == Options::Mode::discover) {
        std::string text;
        for (const KeyValue &pair : run.discovered())
            text += (pair.key == "TargetAddress" ? "    " : "") + pair.value + "\n";
        return put(text, report.exit_code);
    }
    if (report.exit_code == 2)
        return 2; // nothing was measured
    return put(options.json ? report_json(report) : report_text(report), report.exit_code);
}

} // namespace

int initiator_main(int argc, char **argv) {
    const ParsedOptions parsed = parse_options(argc, argv);
    if (!parsed.options) {
        std::fputs(parsed.text.c_str(), parsed.exit_code == 0 ? stdout : stderr);
        return parsed.exit_code;
    }
    asio::io_context io(1); // one thread
    return run_workload(io, *parsed.options);
}

} // namespace iscsiscope::testbed
