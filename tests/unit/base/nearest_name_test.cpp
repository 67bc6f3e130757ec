// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/base/text/nearest_name.h"
#include "catch.h"

using namespace iscsiscope;

TEST_CASE("the nearest name has the fewest mistakes") {
    const std::vector<std::string> names = {"report", "pdus", "cycles", "gaps", "cwnd", "response_time"};
    CHECK(nearest_name("report", names) == "report");
    CHECK(nearest_name("reprot", names) == "report"); // two neighbours exchanged
    CHECK(nearest_name("cwdn", names) == "cwnd");     // one mistake, not two
    CHECK(nearest_name("eport", names) == "report");
    CHECK(nearest_name("rreport", names) == "report");
    CHECK(nearest_name("cycle", names) == "cycles");
    CHECK(nearest_name("resp0nse_tiem", names) == "response_time");
    CHECK(nearest_name("CWND", names) == "cwnd");
    CHECK(nearest_name("Respnose_Time", names) == "response_time");
}

TEST_CASE("a name that is not near is not offered") {
    const std::vector<std::string> names = {"report", "pdus", "gaps"};
    CHECK(nearest_name("", names).empty());
    CHECK(nearest_name("xy", names).empty());
    CHECK(nearest_name("dpsu", names).empty()); // two exchanges in four characters
    CHECK(nearest_name("frobnicate", names).empty());
    CHECK(nearest_name(std::string(100'000, 'r'), names).empty());
    CHECK(nearest_name("report", {}).empty());
}

TEST_CASE("of several names that are as near the first is offered") {
    CHECK(nearest_name("bat", {"cat", "rat"}) == "cat");
}
