// SPDX-License-Identifier: GPL-2.0-or-later
// The names that report.schema.json lists are those of the analyzer, in their order.
#include "analyzer/cycles/records/causes.h"
#include "analyzer/findings/kinds.h"
#include "catch.h"

#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

using namespace iscsiscope;

namespace {

std::string schema() {
    std::ifstream file(ISCSISCOPE_SOURCE_DIR "/analyzer/report/json/report.schema.json");
    return {std::istreambuf_iterator<char>(file), {}};
}

// The names of the first enum that follows the key.
std::vector<std::string> listed(const std::string &text, const std::string &key) {
    std::vector<std::string> names;
    const std::size_t at = text.find("\"enum\": [", text.find("\"" + key + "\": {"));
    if (at == std::string::npos)
        return names;
    const std::size_t begin = text.find('[', at) + 1;
    std::istringstream list(text.substr(begin, text.find(']', begin) - begin));
    for (std::string part; std::getline(list, part, ',');) {
        std::erase_if(part, [](char c) { return c == '"' || c == ' ' || c == '\n'; });
        names.push_back(part);
    }
    return names;
}

template <class Kind>
std::vector<std::string> registered(std::size_t count) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < count; ++i)
        names.emplace_back(name(static_cast<Kind>(i)));
    return names;
}

} // namespace

TEST_CASE("the schema lists every kind of finding and of gap") {
    const std::string text = schema();
    REQUIRE(!text.empty());
    CHECK(listed(text, "finding_kind") == registered<FindingKind>(finding_kind_count));
    CHECK(listed(text, "gaps") == registered<GapKind>(gap_kind_count));
}
