// SPDX-License-Identifier: GPL-2.0-or-later
// Functions shared by the rules: to begin a finding, add evidence and figures, put figures into words.
#pragma once

#include "analyzer/base/number_format.h"
#include "analyzer/base/ratio.h"
#include "analyzer/findings/rules/rule.h"

#include <string>

namespace iscsiscope {

// Least share of the busy time of the connections concerned of which lost time is a problem.
inline constexpr double problem_from = 0.10;
// A program that sleeps on a timer of 100 ticks a second, the coarsest in use, wakes within two of them.
inline constexpr Duration longest_tick = std::chrono::milliseconds(20);
// True if lost time is a problem: from problem_from on, if it is also 1 % of all busy time and 100 ms or ten
// occurrences.
bool costs_much(const Finding &, std::uint64_t occurrences);

// Returns a finding with kind, title, lost time, share, the evidence of its longest waits, and the connection
// if only one lost time. Its severity is problem if it costs_much(), else notice.
Finding begin_finding(FindingKind, const RuleContext &);
// Returns a finding without lost time.
Finding begin_finding(FindingKind, Severity);
Verdict none(std::string why_not);
// Returns why waits that cost round trips are ordinary: shorter than 200 us on average, or neither they nor
// their sum are a tenth of what they are in, a Read or Write and the busy time. Empty: they are not.
std::optional<std::string> ordinary_waits(const Finding &, const RuleContext &);

void add_evidence(Finding &, FrameNumber, std::string word);
void add_evidence(Finding &, const GapRecord &);
void add_figure(Finding &, std::string name, Duration);
void add_figure(Finding &, std::string name, double value, FigureUnit = FigureUnit::none);
void also(Finding &, FindingKind, bool holds);
// Returns lost time, number of waits and longest: "lost 1.2 s (34.0 %) in 42 waits, 31.0 ms the longest".
std::string lost_words(const Finding &, const Lost &);
// Returns "; half of these waits took it longer than 3.1 ms"; empty for a single wait. "It" is the awaited
// end.
std::string half_words(const Lost &);
// Returns the round trip of the connection that lost most; empty if it is not known.
std::optional<Duration> typical_rtt(const RuleContext &);
std::optional<Duration> quantile(const Histogram &, double q);
std::string words(std::optional<Duration>);
// True if a queue stands on the path: more under way makes it longer, and nothing faster.
bool queue_stands(const RuleContext &);
inline constexpr std::string_view shorten_queue_first =
    "A queue already stands on the path (see bufferbloat): more under way would make it longer, not faster. "
    "Shorten that queue first.";
// Returns the sum of `of` over all connections.
std::uint64_t total(const Facts &, std::uint64_t (*of)(const ConnectionFacts &));
// Returns the model input of the type with more bytes; null if no Read or Write was measured.
const ModelInput *main_model(const Facts &);
// Returns the mean bytes of a Data PDU; 0 if there is none.
double data_pdu_size(const TypeFacts &);

} // namespace iscsiscope
