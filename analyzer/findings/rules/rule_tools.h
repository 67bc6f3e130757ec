// SPDX-License-Identifier: GPL-2.0-or-later
// Functions shared by the rules: to begin a finding, add evidence and figures, put figures into words.
#pragma once

#include "analyzer/base/number_format.h"
#include "analyzer/base/ratio.h"
#include "analyzer/findings/rating.h"
#include "analyzer/findings/rules/rule.h"

#include <initializer_list>
#include <string>

namespace iscsiscope {

// A program that sleeps on a timer of 100 ticks a second, the coarsest in use, wakes within two of them.
inline constexpr Duration longest_tick = std::chrono::milliseconds(20);

// Returns a finding with kind, title, lost time, share, the evidence of its longest waits, and the connection
// if only one lost time.
Finding begin_finding(FindingKind, const RuleContext &);
// Returns a finding without lost time.
Finding begin_finding(FindingKind);
// States when the events of a finding passed that costs no busy time; nothing if it has times already.
void set_events(Finding &, const RuleContext &, const Course &events);
// The finding holds in the part of this change, in which it cost this of the lost time. what: what changed;
// static storage.
void set_level(Finding &, const LevelChange &, std::string_view what, const Course &lost,
               const RuleContext &);
// Dates a finding that costs no lost time by the part in which Reads, or Writes, took longer, if there is
// one.
void set_response_times(Finding &, TaskType, const RuleContext &);
// Dates a finding by the segments that were lost among the Reads and Writes, if these lie in one part of
// them: the losses that cost time are few. lost: the lost time.
void set_losses(Finding &, const Course &lost, const RuleContext &);
// The part of the busy time that is lost to faults of other kinds.
double share_of_other_faults(FindingKind, const RuleContext &);
Verdict none(std::string why_not);
// Returns why waits that cost round trips are ordinary: shorter than 200 us on average, or neither they nor
// their sum are a tenth of what they are in, a Read or Write and the busy time. Empty: they are not.
std::optional<std::string> ordinary_waits(const Finding &, const RuleContext &);

// Nothing without a frame.
void add_evidence(Finding &, OptionalFrame, std::string word);
void add_evidence(Finding &, FrameNumber, std::string word);
void add_evidence(Finding &, const LedgerEntry &);
void add_figure(Finding &, std::string name, Duration);
void add_figure(Finding &, std::string name, double value, FigureUnit = FigureUnit::none);
void also(Finding &, FindingKind, bool holds);
// Returns a share with two digits: "34 %", "3.4 %", "<0.1 %".
std::string percent(double share);
// Returns lost time, number of waits and longest: "1.2 s (34 % of the busy time) in 42 waits of up to
// 31.0 ms".
std::string lost_words(const Finding &, const Lost &);
// Returns " Time lost: " with these words and a full stop; empty if there was no wait.
std::string lost_sentence(const Finding &, const Lost &);
// Returns the same without the waits: " Time lost: 1.2 s (34 % of the busy time)."
std::string lost_total(const Finding &, const Lost &);
// Returns the first connection of this session that has facts, or null.
const ConnectionFacts *connection_of_session(const Facts &, SessionId session);
// Returns " from 10.0.0.1:51240 to 10.0.0.2:3260", initiator first; empty for null or without addresses.
std::string ends_words(const ConnectionFacts *);
// Returns "the target 10.0.0.2" or "the initiator 10.0.0.1"; without the address for null.
std::string end_with_address(const ConnectionFacts *, bool target);
// Returns the same for the connections that lost time: without the address if they differ in it, and then in
// the plural.
std::string ends_of(const Facts &, const Lost &, bool target);
// Returns " (round trip 2.03 ms)"; empty if it is not known.
std::string round_trip_words(std::optional<Duration>);
// Joins the parts that are not empty: "a", "a and b", "a, b and c".
std::string listed(std::initializer_list<std::string> parts);
// Returns "3 Reads"; empty for 0.
std::string some(std::uint64_t n, const char *one, const char *more);
std::string capitalized(std::string);
// What the capture's commands that move data are: Reads, Writes or both.
struct Transfers {
    const char *one = "Read or Write", *more = "Reads and Writes";
};
Transfers transfers_of(const Facts &);
// Returns the round trip of the busiest_connection(); empty if there is none.
std::optional<Duration> typical_rtt(const RuleContext &);
// Returns the connection with most tasks of those whose round trips are known; null: there is none.
const ConnectionFacts *busiest_connection(const Facts &);
std::optional<Duration> quantile(const Histogram &, double q);
std::string words(std::optional<Duration>);
// True if a queue stands on the path: more under way makes it longer, and nothing faster.
bool queue_stands(const RuleContext &);
inline constexpr std::string_view shorten_queue_first =
    "Shorten the queue on the path first (see the finding on it): more in flight would make that queue "
    "longer, and nothing faster.";
// Returns the model input of the type with more bytes; null if no Read or Write was measured.
const ModelInput *main_model(const Facts &);
// Returns the mean bytes of a Data PDU; 0 if there is none.
double data_pdu_size(const TypeFacts &);

} // namespace iscsiscope
