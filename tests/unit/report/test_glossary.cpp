// SPDX-License-Identifier: GPL-2.0-or-later
// Every name that the engine can print has an entry in the glossary, whether or not a capture at hand shows
// it.
#include "catch.h"

#include "analyzer/base/glossary/glossary.h"
#include "analyzer/capture/anomaly.h"
#include "analyzer/figures/cycle_figures.h"
#include "analyzer/findings/finding.h"
#include "analyzer/model/model.h"
#include "analyzer/query/column.h"
#include "analyzer/sessions/figures/conformance.h"
#include "analyzer/tcp/tcp_figures.h"
#include "analyzer/words/kind_words.h"

#include <set>
#include <string>

using namespace iscsiscope;

namespace {

// By its context, so that a finding's name does not pass for a gap kind's.
void check_entry(const std::string &context, std::string_view printed) {
    const std::string path = context + "." + std::string(printed);
    INFO(path);
    CHECK(find_term(path) != nullptr);
}

template <class Enum>
void check_all(const std::string &context, Enum last) {
    for (std::size_t i = 0; i <= static_cast<std::size_t>(last); ++i)
        check_entry(context, name(static_cast<Enum>(i)));
}

} // namespace

TEST_CASE("every column has an entry in the glossary", "[glossary]") {
    std::size_t columns = 0;
    for (const Table *t : {&pdu_table(), &cycle_table(), &burst_table(), &gap_table(), &connection_table(),
                           &tcp_table(), &tcp_direction_table()}) {
        for (const Column &c : t->columns) {
            check_entry(std::string(t->name), c.name);
            ++columns;
        }
    }
    CHECK(columns > 150);
}

TEST_CASE("every kind, phase, outcome and setting has an entry in the glossary", "[glossary]") {
    check_all("gap", GapKind::unclassified);
    check_all("phase", CycleFigure::idle);
    check_all("type", TaskType::control);
    check_all("outcome", TaskOutcome::no_command);
    check_all("connection", ConnectionOutcome::open);
    for (std::size_t i = 0; i < finding_kind_count; ++i)
        check_entry("finding", name(static_cast<FindingKind>(i)));
    check_all("severity", Severity::info);
    for (std::size_t i = 0; i < anomaly_kind_count; ++i)
        check_entry("anomaly", name(static_cast<AnomalyKind>(i)));
    check_all("state", SenderState::unknown);
    check_all("limit", SendLimit::unknown);
}

TEST_CASE("gap kinds, phases and connection outcomes have a clause for table remarks", "[glossary]") {
    for (std::size_t i = 0; i < gap_kind_count; ++i)
        CHECK_FALSE(explanation(static_cast<GapKind>(i)).empty());
    for (std::size_t i = 0; i < cycle_figure_count; ++i)
        CHECK_FALSE(explanation(static_cast<CycleFigure>(i)).empty());
    for (std::size_t i = 0; i <= static_cast<std::size_t>(ConnectionOutcome::open); ++i)
        CHECK_FALSE(explanation(static_cast<ConnectionOutcome>(i)).empty());
}

TEST_CASE("a term is looked up with and without its context", "[glossary]") {
    std::set<std::string_view> terms;
    for (const GlossaryEntry &e : glossary()) {
        INFO(e.term);
        CHECK(terms.insert(e.term).second); // each once
        CHECK(find_term(e.term) == &e);
        CHECK(e.meaning.ends_with('.'));
    }
    REQUIRE(find_term("nothing.like.this.response_time_ns") != nullptr);
    CHECK(find_term("nothing.like.this.response_time_ns")->term == "response_time_ns");
    CHECK(find_term("no such term") == nullptr);
    CHECK(meaning_of("no such term").empty());
    CHECK(terms_named("delayed_ack").size() == 2); // the gap kind and the finding
    CHECK(nearest_term("respons_time_ns") == "response_time_ns");
}
