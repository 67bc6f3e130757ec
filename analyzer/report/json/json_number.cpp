// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/json/json_number.h"

#include "analyzer/report/json/json_library.h"

#include <cmath>

namespace iscsiscope {

// The digits are those of the library (Grisu2), which are not the shortest ones of every number: a report has
// the same text of a number whatever made it.
std::string_view json_number(double v, JsonNumber &memory) {
    if (!std::isfinite(v))
        return "null";
    char *const begin = memory.data();
    const char *const end = nlohmann::detail::to_chars(begin, begin + memory.size(), v);
    return {begin, static_cast<std::size_t>(end - begin)};
}

} // namespace iscsiscope
