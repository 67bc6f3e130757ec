// SPDX-License-Identifier: GPL-2.0-or-later
// The list of formats: its names, and what each writes where.
#include "analyzer/report/formats/format.h"
#include "catch.h"

#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <set>
#include <unistd.h>

using namespace iscsiscope;

namespace {

template <class Part>
std::vector<std::string> names(Part Format::*part) {
    std::vector<std::string> all;
    for (const Format *f : formats_with(part))
        all.emplace_back(f->name);
    return all;
}

} // namespace

TEST_CASE("the name of each format is unique, and each writes something") {
    std::set<std::string_view> seen;
    for (const Format &f : formats()) {
        CAPTURE(f.name);
        CHECK(seen.insert(f.name).second);
        CHECK(find_format(f.name) == &f);
        CHECK((f.reports || f.rows || f.comparison || f.predictions || f.columns || f.glossary));
        CHECK((f.comparison == nullptr) == (f.ends == nullptr)); // `compare` writes both
    }
    CHECK(find_format("xml") == nullptr);
}

TEST_CASE("the formats of each command, in the order of its --help") {
    using Names = std::vector<std::string>;
    CHECK(names(&Format::reports) == Names{"text", "json", "html", "sqlite", "csv"});
    CHECK(names(&Format::rows) == Names{"csv", "jsonl"});
    CHECK(names(&Format::comparison) == Names{"text", "json"});
    CHECK(names(&Format::predictions) == Names{"text", "json"});
    CHECK(names(&Format::columns) == Names{"text", "json"});
    CHECK(names(&Format::glossary) == Names{"text", "json", "markdown", "man"});
}

TEST_CASE("a format that needs a place for its reports says what it writes there") {
    for (const Format *f : formats_with(&Format::reports)) {
        CAPTURE(f->name);
        const ReportText *text = f->reports->text();
        const bool anywhere = text != nullptr && text->series();
        CHECK(f->reports->output().empty() == anywhere);
        CHECK((text == nullptr || !f->reports->extension().empty())); // a text is in a file
    }
}

TEST_CASE("a report of its own is absent until it is complete") {
    UnfinishedFiles unfinished;
    const std::string path = fmt::format("/tmp/iscsiscope-test-formats-{}.txt", ::getpid());
    std::remove(path.c_str());
    const auto exists = [&] { return std::filesystem::exists(path); };
    {
        const auto writer = find_format("text")->reports->begin(path, {}, unfinished);
        CHECK(writer->sinks().empty());
        CHECK(writer->error().empty());
    }
    CHECK_FALSE(exists());
    const auto writer = find_format("text")->reports->begin(path, {}, unfinished);
    REQUIRE(writer->finish(Report{}, {}));
    CHECK(exists());
    CHECK(writer->tables() == 0);
    std::remove(path.c_str());
    const auto nowhere = find_format("json")->reports->begin("no/such/folder/report.json", {}, unfinished);
    CHECK_FALSE(nowhere->finish(Report{}, {}));
    CHECK_FALSE(nowhere->error().empty());
}
