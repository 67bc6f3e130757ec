// SPDX-License-Identifier: GPL-2.0-or-later
// JsonWriter against the JSON library: the same bytes of the same values.
#include "analyzer/base/text/utf8.h"
#include "analyzer/report/json/json_library.h"
#include "analyzer/report/json/json_parts.h"
#include "catch.h"

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

using namespace iscsiscope;
using Json = nlohmann::ordered_json;

namespace {

template <class T>
std::string written(const T &value) {
    return json_text([&](JsonWriter &w) {
        w.open_array();
        w.add(value);
        w.close();
    });
}

template <class T>
std::string of_library(const T &value) {
    return Json::array({value}).dump(2) + "\n";
}

// What the report writes of a text that need not be UTF-8.
std::string text_of_library(const std::string &text) {
    return of_library(utf8_text(text));
}

// A random value in both forms.
struct Maker {
    std::mt19937_64 random;

    std::string text() {
        static const std::string pieces[] = {"a",
                                             "\"",
                                             "\\",
                                             "/",
                                             "\n",
                                             "\x01",
                                             "\x1f",
                                             "\x7f",
                                             "\xc3\xa9",
                                             "\xf0\x9f\x98\x80",
                                             "\xff",
                                             "\xc3",
                                             "\xed\xa0\x80",
                                             std::string(1, '\0'),
                                             "\b\f\r\t",
                                             "plain words"};
        std::string all;
        for (auto n = random() % 6; n-- > 0;)
            all += pieces[random() % std::size(pieces)];
        return all;
    }
    // The library's object of the value that is added to the open object or array.
    Json add(JsonWriter &w, const std::string &key, unsigned depth) {
        switch (random() % (depth == 0 ? 6 : 8)) {
        case 0:
            w.add(key, nullptr);
            return nullptr;
        case 1: {
            const bool v = random() % 2 == 0;
            w.add(key, v);
            return v;
        }
        case 2: {
            const auto v = static_cast<std::int64_t>(random()) >> (random() % 64);
            w.add(key, v);
            return v;
        }
        case 3: {
            const std::uint64_t v = random() >> (random() % 64);
            w.add(key, std::optional(v));
            return v;
        }
        case 4: {
            const double v = static_cast<double>(random()) / 1024;
            w.add(key, Value::number(v));
            return v;
        }
        case 5: {
            const std::string v = text();
            w.add(key, v);
            return utf8_text(v);
        }
        case 6: {
            w.open_array(key);
            Json all = Json::array();
            for (auto n = random() % 4; n-- > 0;)
                all.push_back(add(w, {}, depth - 1));
            w.close();
            return all;
        }
        default: {
            w.open_object(key);
            Json all = Json::object();
            for (auto n = random() % 4; n-- > 0;) {
                const std::string name = std::to_string(n) + text();
                all[utf8_text(name)] = add(w, name, depth - 1);
            }
            w.close();
            return all;
        }
        }
    }
};

} // namespace

TEST_CASE("real numbers have the bytes that the JSON library writes") {
    std::vector<double> all = {0.0,
                               -0.0,
                               1,
                               -1,
                               0.1,
                               1e15,
                               1e16,
                               1e17,
                               123456789012345678.0,
                               1e-5,
                               1e-4,
                               5e-324,
                               std::numeric_limits<double>::max(),
                               std::numeric_limits<double>::lowest(),
                               std::numeric_limits<double>::min(),
                               std::numeric_limits<double>::epsilon(),
                               std::numeric_limits<double>::infinity(),
                               -std::numeric_limits<double>::infinity(),
                               std::numeric_limits<double>::quiet_NaN(),
                               9007199254740993.0,
                               2.2250738585072011e-308};
    std::mt19937_64 random(1);
    for (int i = 0; i < 300'000; ++i) {
        all.push_back(std::bit_cast<double>(random()));                  // any exponent, NaN too
        all.push_back(std::bit_cast<double>(random() >> 12U));           // denormal
        all.push_back(static_cast<double>(random() >> (random() % 64))); // whole
        all.push_back(static_cast<double>(random() % 1'000'000) / 1000); // as figures are
    }
    std::size_t different = 0;
    for (const double v : all)
        different += written(v) != of_library(v) ? 1 : 0;
    CHECK(different == 0);
    CHECK(written(std::nan("")) == "[\n  null\n]\n");
    CHECK(written(-0.0) == "[\n  -0.0\n]\n");
    CHECK(written(100.0) == "[\n  100.0\n]\n");
}

TEST_CASE("whole numbers have the bytes that the JSON library writes") {
    std::mt19937_64 random(2);
    std::size_t different = 0;
    for (int i = 0; i < 100'000; ++i) {
        const std::uint64_t v = random() >> (random() % 64);
        different += written(v) != of_library(v) ? 1 : 0;
        different +=
            written(static_cast<std::int64_t>(~v)) != of_library(static_cast<std::int64_t>(~v)) ? 1 : 0;
    }
    for (const std::int64_t v :
         {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()})
        different += written(v) != of_library(v) ? 1 : 0;
    CHECK(different == 0);
    CHECK(written(std::uint8_t{200}) == "[\n  200\n]\n");
    CHECK(written(Duration{-5}) == "[\n  -5\n]\n");
}

TEST_CASE("texts have the bytes that the JSON library writes, whatever they hold") {
    std::size_t different = 0;
    for (int c = 0; c < 256; ++c) {
        const std::string text = "a" + std::string(1, static_cast<char>(c)) + "b";
        different += written(text) != text_of_library(text) ? 1 : 0;
    }
    std::mt19937_64 random(3);
    for (int i = 0; i < 100'000; ++i) {
        std::string text;
        for (auto n = random() % 12; n-- > 0;)
            text += static_cast<char>(random() % 3 == 0 ? random() % 128 : 128 + random() % 128);
        different += written(text) != text_of_library(text) ? 1 : 0;
    }
    CHECK(different == 0);
    CHECK(written(std::string("x\xff\n")) == "[\n  \"x\\\\xFF\\n\"\n]\n");
    CHECK(written(std::optional<std::string>()) == "[\n  null\n]\n");
}

TEST_CASE("values of any shape have the bytes that the JSON library writes") {
    Maker make{std::mt19937_64(4)};
    std::size_t different = 0, bytes = 0;
    for (int i = 0; i < 20'000; ++i) {
        Json tree = Json::object();
        const std::string text = json_text([&](JsonWriter &w) {
            w.open_object();
            for (int n = 0; n < 3; ++n) {
                const std::string key = std::to_string(n);
                tree[key] = make.add(w, key, 4);
            }
            w.close();
        });
        bytes += text.size();
        different += text != tree.dump(2) + "\n" ? 1 : 0;
    }
    CHECK(different == 0);
    std::printf("FIGURE: JSON written value by value, against the library: %zu bytes of 20000 values\n",
                bytes);
}

TEST_CASE("large values are passed on in parts") {
    std::size_t parts = 0, most = 0, all = 0;
    const JsonWriter::Out out = [&](std::string_view part) {
        ++parts;
        most = std::max(most, part.size());
        all += part.size();
    };
    JsonWriter w(out);
    w.open_array();
    w.add(std::vector<std::uint64_t>(100'000, 123456));
    for (int i = 0; i < 100'000; ++i)
        w.add(i);
    w.close();
    CHECK(parts > 10);
    CHECK(most < 80'000);
    CHECK(all > 1'500'000);
}

TEST_CASE("of quantiles with the same name the last one counts, in the place of the first") {
    const JsonQuantiles q = json_quantiles({0.5, 0.9, 0.50000001});
    REQUIRE(q.size() == 2);
    CHECK(q[0].key == "0.5");
    CHECK(q[0].quantile == 0.50000001);
    CHECK(q[1].key == "0.9");
}
