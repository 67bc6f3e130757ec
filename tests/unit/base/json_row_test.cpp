// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/base/json_row.h"
#include "catch.h"

using namespace iscsiscope;

TEST_CASE("a row is one line of JSON whatever text is in it") {
    CHECK(JsonObject().str() == "{}");
    CHECK(JsonObject("x")
              .text("name", "a\"b\\c\n\xff")
              .number("n", -5)
              .number("most", UINT64_MAX)
              .number("none", std::nullopt)
              .real("real", 0.1)
              .truth("yes", true)
              .json("list", json_array({"a", "\"", "µ"}))
              .str() == R"({"row":"x","name":"a\"b\\c\u000a\\xFF","n":-5,"most":18446744073709551615,)"
                        R"("none":null,"real":0.1,"yes":true,"list":["a","\"","µ"]})");
    CHECK(json_quoted("x\xc3") == R"("x\\xC3")");
    CHECK(json_array({}) == "[]");
}
