// SPDX-License-Identifier: GPL-2.0-or-later
// What rules have in common: beginning a finding, its evidence and figures, words.
#pragma once

#include "analyzer/base/number_format.h"
#include "analyzer/findings/rules/rule.h"

#include <string>

namespace iscsiscope {

// Share of the active life from which lost time is a problem.
inline constexpr double problem_from = 0.05;

// Kind, title, lost time, share, the evidence of its longest waits, the connection if it was one alone;
// severity problem from problem_from on, else notice.
Finding begin_finding(FindingKind, const RuleContext &);
// Without lost time.
Finding begin_finding(FindingKind, Severity);
Verdict none(std::string why_not);

void add_evidence(Finding &, FrameNumber, std::string word);
void add_evidence(Finding &, const GapRecord &);
void add_figure(Finding &, std::string name, Duration);
void add_figure(Finding &, std::string name, double value, FigureUnit = FigureUnit::none);
void also(Finding &, FindingKind, bool holds);
// Lost time, number of waits, longest, in words: "lost 1.2 s (34.0 %) in 42 waits, 31.0 ms the longest".
std::string lost_words(const Finding &, const Lost &);
// Round trip of the connection that lost most, in words; "unknown".
std::optional<Duration> typical_rtt(const RuleContext &);
std::optional<Duration> quantile(const Histogram &, double q);
std::string words(std::optional<Duration>);
// Of the connections' figures in both directions.
std::uint64_t total(const Facts &, std::uint64_t (*of)(const ConnectionFacts &));
// Model of the type with more bytes; null: no Read or Write was measured.
const ModelInput *main_model(const Facts &);
// Mean bytes of a Read's or Write's Data PDU; 0: none.
double data_pdu_size(const TypeFacts &);

} // namespace iscsiscope
