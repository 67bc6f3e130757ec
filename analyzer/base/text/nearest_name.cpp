// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/base/text/nearest_name.h"

#include <algorithm>

namespace iscsiscope {
namespace {

char lower(char c) {
    return 'A' <= c && c <= 'Z' ? static_cast<char>(c + 32) : c;
}

// Damerau and Levenshtein: insertions, deletions, replacements and exchanges of neighbours, none of which
// changes what an exchange has moved (optimal string alignment).
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1), above(b.size() + 1), second_above(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j)
        row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        second_above.swap(above);
        above.swap(row);
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const auto equal = [&](std::size_t m, std::size_t n) {
                return lower(a[m - 1]) == lower(b[n - 1]);
            };
            row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (equal(i, j) ? 0 : 1)});
            if (i > 1 && j > 1 && equal(i, j - 1) && equal(i - 1, j))
                row[j] = std::min(row[j], second_above[j - 2] + 1);
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
