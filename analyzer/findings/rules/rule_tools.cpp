// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/findings/rules/rule_tools.h"

#include "analyzer/base/course/event_part.h"
#include "analyzer/base/course/level_change.h"
#include "analyzer/findings/attribution/intervals.h"
#include "analyzer/findings/attribution/place.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <vector>

namespace iscsiscope {
namespace {

std::string_view ending_word(GapKind kind) {
    switch (kind) {
    case GapKind::target_first_data:
        return "first data of the answer";
    case GapKind::target_r2t:
        return "the R2T";
    case GapKind::target_status:
        return "the status";
    case GapKind::initiator_burst:
        return "first data after the R2T";
    case GapKind::initiator_idle:
    case GapKind::initiator_pause:
        return "the next command";
    default:
        return "first packet after the wait";
    }
}

std::string_view proof_word(GapProof proof) {
    switch (proof) {
    case GapProof::original:
        return "the segment that was lost";
    case GapProof::repeat:
        return "sent again";
    case GapProof::loss_signal:
        return "ACK that reported the loss";
    case GapProof::window_closed:
        return "ACK that left no room";
    case GapProof::window_update:
        return "ACK that made room";
    case GapProof::held_data:
        return "segment whose ACK was held back";
    case GapProof::held_ack:
        return "the ACK, held back";
    case GapProof::small_segment:
        return "small segment held back";
    case GapProof::releasing_ack:
        return "ACK that let the sender go on";
    case GapProof::unseen_ack:
        return "ACK for bytes not in the capture";
    case GapProof::reset:
        return "end of the connection";
    }
    return "";
}

constexpr std::size_t max_evidence = 8;

// The busy time of the connections on which time was lost.
Course concerned_course(const Lost &lost, const Facts &facts) {
    if (lost.by_stream.size() == facts.connections.size())
        return facts.course.time; // in narrower bins
    Course course(BusyCourse::max_bins);
    for (const ConnectionFacts &c : facts.connections)
        if (lost.by_stream.contains(c.record.stream))
            course.merge(c.course);
    return course;
}

} // namespace

Finding begin_finding(FindingKind kind) {
    Finding f;
    f.kind = kind;
    f.nature = traits(kind).nature;
    f.title = title(kind);
    return f;
}

void set_level(Finding &f, const LevelChange &level, std::string_view what, const Course &lost,
               const RuleContext &c) {
    f.times.level = level;
    f.times.level_of = what;
    f.times.parts = {
        interval_between(lost, c.facts.course, level.from, level.until, known_frame(level.frame))};
    f.times.throughout = false;
    f.times.from_begin = level.from_begin;
    f.times.to_end = level.to_end;
}

void set_response_times(Finding &f, TaskType type, const RuleContext &c) {
    const std::optional<LevelChange> level = level_change_of(c.facts.of(type).response_course);
    if (!level)
        return;
    set_level(f, *level, type == TaskType::read ? "response time of Reads" : "response time of Writes", {},
              c);
    f.times.parts[0].share.reset();
}

void set_losses(Finding &f, const Course &lost, const RuleContext &c) {
    if (f.times.period)
        return;
    const std::optional<EventPart> part = event_part_of(c.facts.course.losses, c.facts.course.transfers);
    if (!part)
        return;
    f.times.parts = {
        interval_between(lost, c.facts.course, part->from, part->until, known_frame(part->frame))};
    f.times.from_begin = part->from_begin;
    f.times.to_end = part->to_end;
    f.times.throughout = part->from_begin && part->to_end;
}

void set_events(Finding &f, const RuleContext &c, const Course &events) {
    if (f.times.parts.empty())
        f.times = times_of_events(events, c.in.capture.begin, c.in.capture.end);
}

Finding begin_finding(FindingKind kind, const RuleContext &c) {
    const Lost &lost = c.lost.to(kind);
    Finding f = begin_finding(kind);
    f.lost_time = lost.time();
    f.share = ratio(f.lost_time, c.busy());
    f.concerned_share = ratio(f.lost_time, c.lost.busy_of(kind));
    f.occurrences = lost.waits.count;
    f.third_wait = lost.waits.worst.size() < 3 ? Duration{} : lost.waits.worst[2].length;
    if (lost.by_stream.size() == 1 && c.facts.connections.size() > 1)
        f.stream = lost.worst_stream();
    if (lost.waits.count > 0)
        add_figure(f, "waits", static_cast<double>(lost.waits.count));
    if (const auto median = quantile(lost.waits.own, 0.5))
        add_figure(f, "median_wait_of_the_awaited_end", *median);
    f.owners = lost.owners;
    f.times = times_of(lost.waits.course, concerned_course(lost, c.facts), c.facts.course);
    f.place = place_of(kind, lost, c.facts);
    Course breaks;
    for (const Break *b : c.lost.stories().breaks_of(kind))
        breaks.add(b->connection->record.end, std::max(b->downtime, Duration{1}),
                   b->connection->record.last_frame);
    set_events(f, c, breaks);
    for (const LedgerEntry &e : lost.waits.worst)
        add_evidence(f, e);
    return f;
}

double share_of_other_faults(FindingKind kind, const RuleContext &c) {
    Duration sum{};
    for (const NamedRule &rule : finding_rules)
        if (rule.kind != kind && traits(rule.kind).nature != Nature::trait)
            sum += c.lost.to(rule.kind).time();
    return ratio(sum, c.busy());
}

Verdict none(std::string why_not) {
    return {std::nullopt, std::move(why_not)};
}

std::optional<std::string> ordinary_waits(const Finding &f, const RuleContext &c) {
    const Lost &lost = c.lost.to(f.kind);
    const TypeFacts &reads = c.facts.of(TaskType::read), &writes = c.facts.of(TaskType::write);
    const std::uint64_t tasks = reads.count + writes.count;
    if (lost.waits.count == 0 || tasks == 0)
        return std::nullopt;
    const Duration wait = lost.waits.time / static_cast<std::int64_t>(lost.waits.count);
    const Duration task = (reads.response + writes.response) / static_cast<std::int64_t>(tasks);
    if (wait >= std::chrono::microseconds(200) && (wait * 10 >= task || f.concerned_share >= problem_from))
        return std::nullopt;
    return human::plural(lost.waits.count, "wait", "waits") + " of " + human::duration(wait) +
           " on average, small against " + human::duration(task) + " for a Read or Write (" +
           human::share(f.share) + " of the busy time): ordinary";
}

void add_evidence(Finding &f, OptionalFrame frame, std::string word) {
    if (!frame || f.evidence.size() == max_evidence)
        return;
    const auto same = [&](const EvidenceFrame &e) { return e.frame == *frame; };
    if (std::none_of(f.evidence.begin(), f.evidence.end(), same))
        f.evidence.push_back({*frame, std::move(word)});
}

void add_evidence(Finding &f, FrameNumber frame, std::string word) {
    add_evidence(f, known_frame(frame), std::move(word));
}

void add_evidence(Finding &f, const LedgerEntry &e) {
    for (const GapProofFrame &proof : e.proof)
        if (proof.frame)
            add_evidence(f, proof.frame, std::string(proof_word(proof.proof)));
    add_evidence(f, e.before_frame, "last packet before " + human::duration(e.wait) + " of silence");
    add_evidence(f, e.after_frame, std::string(ending_word(e.gap.value_or(GapKind::unclassified))));
}

void add_figure(Finding &f, std::string name, Duration value) {
    f.figures.push_back({std::move(name), static_cast<double>(to_ns(value)), FigureUnit::nanoseconds});
}

void add_figure(Finding &f, std::string name, double value, FigureUnit unit) {
    f.figures.push_back({std::move(name), value, unit});
}

void also(Finding &f, FindingKind kind, bool holds) {
    if (holds)
        f.also.push_back(kind);
}

std::string percent(double share) {
    if (share * 100 < 9.95)
        return human::share(share);
    const bool all_but = share < 1 && share >= 0.995;
    return all_but ? ">99 %" : std::to_string(std::lround(share * 100)) + " %";
}

std::string lost_words(const Finding &f, const Lost &lost) {
    std::string s = human::duration(f.lost_time) + " (" + percent(f.share) + " of the busy time" +
                    (f.concerned_share > f.share * 5 / 4
                         ? ", " + percent(f.concerned_share) + " on the connections concerned"
                         : std::string()) +
                    ") in " + human::plural(lost.waits.count, "wait", "waits");
    if (lost.waits.count > 1 && !lost.waits.worst.empty())
        s += " of up to " + human::duration(lost.waits.worst.front().length);
    if (lost.transfer > Duration{})
        s += ", " + human::duration(lost.transfer) + " of it in transfers slower than the path allows";
    return s;
}

std::string lost_sentence(const Finding &f, const Lost &lost) {
    return lost.waits.count > 0 ? " Time lost: " + lost_words(f, lost) + "." : std::string();
}

std::string lost_total(const Finding &f, const Lost &lost) {
    return lost.waits.count > 0 ? " Time lost: " + human::duration(f.lost_time) + " (" + percent(f.share) +
                                      " of the busy time)."
                                : std::string();
}

Transfers transfers_of(const Facts &facts) {
    const bool reads = facts.of(TaskType::read).count > 0, writes = facts.of(TaskType::write).count > 0;
    return reads == writes ? Transfers{} : reads ? Transfers{"Read", "Reads"} : Transfers{"Write", "Writes"};
}

const ConnectionFacts *connection_of_session(const Facts &facts, SessionId session) {
    for (const ConnectionFacts &c : facts.connections)
        if (c.record.session == session)
            return &c;
    return nullptr;
}

std::string ends_words(const ConnectionFacts *c) {
    if (c == nullptr || c->record.target == Endpoint{})
        return {};
    return " from " + to_text(c->record.initiator) + " to " + to_text(c->record.target);
}

std::string end_with_address(const ConnectionFacts *c, bool target) {
    std::string role = target ? "the target" : "the initiator";
    if (c == nullptr || c->record.target == Endpoint{})
        return role;
    return role + " " + to_text((target ? c->record.target : c->record.initiator).address);
}

std::string ends_of(const Facts &facts, const Lost &lost, bool target) {
    std::set<IpAddress> addresses;
    const ConnectionFacts *any = nullptr;
    for (const ConnectionFacts &c : facts.connections)
        if (lost.by_stream.contains(c.record.stream)) {
            addresses.insert((target ? c.record.target : c.record.initiator).address);
            any = &c;
        }
    return addresses.size() > 1 ? (target ? "the targets" : "the initiators") : end_with_address(any, target);
}

std::string round_trip_words(std::optional<Duration> rtt) {
    return rtt ? " (round trip " + human::duration(*rtt) + ")" : std::string();
}

std::string listed(std::initializer_list<std::string> parts) {
    std::vector<std::string> some;
    std::copy_if(parts.begin(), parts.end(), std::back_inserter(some),
                 [](const std::string &part) { return !part.empty(); });
    std::string text;
    for (std::size_t i = 0; i < some.size(); ++i)
        text += (i == 0 ? "" : i + 1 == some.size() ? " and " : ", ") + some[i];
    return text;
}

std::string some(std::uint64_t n, const char *one, const char *more) {
    return n > 0 ? human::plural(n, one, more) : std::string();
}

std::string capitalized(std::string text) {
    if (!text.empty() && text[0] >= 'a' && text[0] <= 'z')
        text[0] = static_cast<char>(text[0] - 'a' + 'A');
    return text;
}

bool queue_stands(const RuleContext &c) {
    return rules::bufferbloat(c).finding.has_value();
}

const ConnectionFacts *busiest_connection(const Facts &facts) {
    const ConnectionFacts *busiest = nullptr;
    for (const ConnectionFacts &f : facts.connections)
        if (f.rtt() && (busiest == nullptr || f.record.tasks > busiest->record.tasks))
            busiest = &f;
    return busiest;
}

std::optional<Duration> typical_rtt(const RuleContext &c) {
    const ConnectionFacts *busiest = busiest_connection(c.facts);
    return busiest != nullptr ? busiest->rtt() : std::nullopt;
}

std::optional<Duration> quantile(const Histogram &h, double q) {
    const std::optional<std::int64_t> v = h.quantile(q);
    return v ? std::optional<Duration>(Duration{*v}) : std::nullopt;
}

std::string words(std::optional<Duration> d) {
    return d ? human::duration(*d) : std::string("unknown");
}

const ModelInput *main_model(const Facts &facts) {
    return facts.models.empty() ? nullptr : &facts.models.front();
}

double data_pdu_size(const TypeFacts &t) {
    return t.data_pdus > 0 ? static_cast<double>(t.bytes) / static_cast<double>(t.data_pdus) : 0;
}

} // namespace iscsiscope
