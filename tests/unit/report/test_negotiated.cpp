// SPDX-License-Identifier: GPL-2.0-or-later
// What was negotiated, as the text, the JSON and a comparison show it.
#include "analyzer/base/number_format.h"
#include "analyzer/figures/collector.h"
#include "analyzer/figures/compare/comparison.h"
#include "analyzer/report/json/json_report.h"
#include "analyzer/report/text/text_report.h"
#include "catch.h"
#include "synthetic.h"

using namespace iscsiscope;

namespace {

// A session whose ends declared these MaxRecvDataSegmentLengths; empty: named none.
Report report_of(const char *initiator, const char *target, TextSeen seen = {}) {
    Negotiation n;
    n.add(Party::initiator, "MaxBurstLength", "65536");
    for (const auto &[party, value] : {std::pair(Party::initiator, initiator), {Party::target, target}})
        if (*value != 0)
            n.add(party, "MaxRecvDataSegmentLength", value);
    Collector collector;
    synthetic::feed(collector);
    Report r = collector.take(synthetic::summary());
    Login login;
    login.accepted = login.finished = true;
    login.whole = seen.initiator && seen.target;
    login.keys = n.result(seen);
    r.connections.at(0).login = login;
    return r;
}

std::string json_of(const Report &r) {
    std::string text;
    write_json_report(r, {}, "0", [&](std::string_view part) { text += part; });
    return text;
}

bool has(const std::string &text, std::string_view words) {
    return text.find(words) != std::string::npos;
}

} // namespace

TEST_CASE("a change that rounds to nothing has no sign") {
    CHECK(human::change(-0.0004) == "0.0 %");
    CHECK(human::change(-0.0) == "0.0 %");
    CHECK(human::change(-0.0006) == "-0.1 %");
    CHECK(human::change(0.014) == "+1.4 %");
}

TEST_CASE("a declared key is shown for each direction, from who declared it") {
    const Report r = report_of("262144", "131072");
    const std::string text = text_report(r, {}, ReportDetail::all);
    CHECK(has(text, "Data-In 262144"));
    CHECK(has(text, "Data-Out 131072"));
    const std::string json = json_of(r);
    CHECK(has(json, "\"in_force_initiator\": \"262144\""));
    CHECK(has(json, "\"in_force_target\": \"131072\""));
    CHECK(has(text_report(report_of("262144", ""), {}, ReportDetail::all),
              "Data-Out 8192")); // RFC 7143's default
    // The target's alone changes.
    const Comparison c = compare(r, report_of("262144", "65536"), {});
    REQUIRE(c.settings.size() == 1);
    CHECK(c.settings[0].name == "MaxRecvDataSegmentLength of the target");
    CHECK(c.settings[0].before == "131072");
    CHECK(c.settings[0].after == "65536");
}

TEST_CASE("what cut text may have said is shown as not known, and is no difference") {
    const Report cut = report_of("262144", "", {true, false, true});
    const std::string text = text_report(cut, {}, ReportDetail::all);
    CHECK(has(text, "Data-Out not known"));
    CHECK(has(text, "MaxBurstLength"));
    CHECK(has(text, "the text that states it is missing"));
    CHECK_FALSE(has(text, "rule applied"));
    const std::string json = json_of(cut);
    CHECK(has(json, "\"in_force_target\": null"));
    CHECK(has(json, "\"origin\": \"unknown\""));
    CHECK(compare(cut, report_of("262144", "131072"), {}).settings.empty());
}
