// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/run/commands/watch.h"

#include "analyzer/base/units.h"
#include "sample-captures/testbed/run/commands/catalogue.h"
#include "sample-captures/testbed/run/live/load_duration.h"
#include "sample-captures/testbed/run/live/packet_filter.h"
#include "sample-captures/testbed/run/live/watch_scenario.h"
#include "sample-captures/testbed/run/run_scenario.h"

#include <cstdio>

namespace iscsiscope::testbed::run {
int watch(const WatchCommand &command) {
    auto loaded = load_named(command.scenario, parse_overrides(command.sets));
    if (!loaded)
        return exit_error;
    if (!command.duration.empty()) {
        const Result<Duration> duration = parse_duration(command.duration);
        if (!duration.ok())
            return report(Failure{"--duration: " + duration.failure().message});
        set_load_duration(*loaded, duration.value());
    }
    const Result<WatchPoint> point = find_watch_point(*loaded, command.place);
    if (!point.ok())
        return report(point.failure());
    WatchOptions options;
    if (!command.filter.empty()) {
        Result<shim::PacketFilter> filter = compile_filter(command.filter, loaded->capture.framing);
        if (!filter.ok())
            return report(filter.failure());
        options.filter = std::move(filter.value());
    }
    if (command.check_only)
        return exit_done;
    options.output = command.output;
    options.quiet = command.quiet;
    options.force_user_namespace = command.force_user_namespace;
    return run_apart([&] { return watch_scenario(*loaded, point.value(), options); });
}

} // namespace iscsiscope::testbed::run
