// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/words/model_words.h"

#include "analyzer/base/number_format.h"
#include "analyzer/model/model.h"

#include <cmath>
#include <fmt/format.h>

namespace iscsiscope {

std::string_view words(Bottleneck b) {
    switch (b) {
    case Bottleneck::latency:
        return "the cycle time and the commands in flight";
    case Bottleneck::path_rate:
        return "the rate of the path";
    case Bottleneck::window:
        return "the TCP windows";
    case Bottleneck::loss:
        return "the losses";
    case Bottleneck::host:
        return "the host's pauses between commands";
    }
    return "";
}

std::string modelled_tasks(const ModelInput &m) {
    const char *types = m.type == TaskType::read ? "Reads" : "Writes";
    const std::string tasks =
        m.tasks < m.tasks_of_type
            ? fmt::format("{} of {} {}, of", human::count(m.tasks), human::count(m.tasks_of_type), types)
            : fmt::format("{} {} of", human::count(m.tasks), types);
    return fmt::format("{} {}, {} in {} with one of them open", tasks,
                       human::block(static_cast<std::uint64_t>(std::llround(m.block))),
                       human::bytes(static_cast<std::uint64_t>(m.bytes)),
                       human::duration(std::llround(m.data_time)));
}

} // namespace iscsiscope
