// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/base/nearest_name.h"

#include <algorithm>

namespace iscsiscope {
namespace {

// Levenshtein: insertions, deletions, replacements.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j)
        row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t above = row[j];
            row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
            diagonal = above;
        }
    }
    return row[b.size()];
}

} // namespace

std::string nearest_name(std::string_view written, const std::vector<std::string> &names) {
    if (written.size() > 80)
        return {};
    const std::string *best = nullptr;
    std::size_t least = std::max<std::size_t>(1, written.size() / 3) + 1;
    for (const std::string &n : names) {
        const std::size_t d = distance(written, n);
        if (d < least) {
            least = d;
            best = &n;
        }
    }
    return best != nullptr ? *best : std::string{};
}

} // namespace iscsiscope
