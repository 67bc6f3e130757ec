// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/run/truth_merge.h"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <fstream>

namespace iscsiscope::testbed::run {

Status merge_truth(const std::string &path, const std::string &head, const std::vector<TruthPart> &parts,
                   const std::vector<std::string> &rows) {
    std::ofstream out(path, std::ios::binary);
    out << head << '\n';
    for (const TruthPart &part : parts) {
        std::ifstream in(part.path, std::ios::binary);
        std::string line;
        for (std::size_t number = 1; std::getline(in, line); ++number) {
            if (line.size() < 3 || line.front() != '{' || line.back() != '}')
                return Failure{fmt::format("the truth of {} is damaged at line {}", part.program, number)};
            line.pop_back();
            out << fmt::format("{},\"host\":\"{}\",\"program\":\"{}\"}}\n", line, part.host, part.program);
        }
    }
    for (const std::string &row : rows)
        out << row << '\n';
    out.close();
    if (!out)
        return Failure{fmt::format("writing {}: {}", path, std::strerror(errno))};
    return {};
}

} // namespace iscsiscope::testbed::run
