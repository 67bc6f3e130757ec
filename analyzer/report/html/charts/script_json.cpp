// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/html/charts/script_json.h"

#include "analyzer/report/tables/row_writer.h"

namespace iscsiscope::html {

std::string json_text(std::string_view text) {
    fmt::memory_buffer b;
    append_json(b, Value::text(std::string(text)));
    std::string out(b.data(), b.size());
    for (std::size_t at = out.find('<'); at != std::string::npos; at = out.find('<', at + 1))
        out.replace(at, 1, "\\u003c");
    return out;
}

} // namespace iscsiscope::html
