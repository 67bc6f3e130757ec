// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/base/number_format.h"
#include "catch.h"

using namespace iscsiscope;

TEST_CASE("rates, times, names and paths for people") {
    CHECK(human::rate(-1) == "0 B/s");
    CHECK(human::rate(4.2e6) == "4.20 MB/s");
    CHECK(human::megabyte_rate(4.2e6) == "4.2 MB/s");
    CHECK(human::megabyte_rate(4200) == "0.0042 MB/s");
    CHECK(human::instant(time_from_ns(1'700'000'000'000'001'999)) == "2023-11-14 22:13:20.000001 UTC");
    CHECK(human::name("iqn.\x1b[2J\n\xff") == R"(iqn.\x1B[2J\x0A\xFF)");
    CHECK(human::name("iqn.µµ", 7) == "iqn.µ");
    CHECK(human::path("/tmp/µ\n\x7f") == R"(/tmp/µ\x0A\x7F)");
}
