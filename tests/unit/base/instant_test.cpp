// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/base/instant.h"
#include "catch.h"

using namespace iscsiscope;

TEST_CASE("points in time") {
    CHECK(parse_instant("1970-01-01T00:00:01.5Z") == time_from_ns(1'500'000'000));
    CHECK(parse_instant("1970-01-01 01:00:00+01:00") == time_from_ns(0));
    CHECK_FALSE(parse_instant("2023-02-30T00:00:00Z"));
    CHECK_FALSE(parse_instant("2023-02-03"));
    CHECK_FALSE(parse_instant("9999-02-03T00:00:00Z"));
}
