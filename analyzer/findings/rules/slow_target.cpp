// SPDX-License-Identifier: GPL-2.0-or-later
// Rule slow_target: the target's service time, without the network, by LUN. What is ordinary is stated in
// docs/findings.md, slow_target.
#include "analyzer/findings/rules/rule_tools.h"

#include "analyzer/base/containers/greatest.h"
#include "analyzer/base/course/level_change.h"
#include "analyzer/iscsi/scsi/lun.h"
#include "analyzer/sessions/figures/session_figures.h"

#include <algorithm>

namespace iscsiscope::rules {
namespace {

// A disk answers a random access in about 10 ms, a target with a cache or without moving parts in less than
// 2 ms. Single answers of up to 5 ms are those of a scheduler's tick or a cold cache.
constexpr Duration slow_median = std::chrono::milliseconds(10), quick_median = std::chrono::milliseconds(2);
constexpr Duration ordinary_min = std::chrono::milliseconds(5);
constexpr int ordinary_times = 4; // the usual service time
constexpr double recurring = 10;  // fewer late answers may be those of a cold start

const LunFacts *busiest(const Facts &facts) {
    return greatest_of(
        facts.luns,
        [](const LunFacts &l) {
            return l.service.count() > 0 ? std::optional(l.service.sum()) : std::nullopt;
        });
}

Duration median_of(const Histogram &h) {
    return quantile(h, 0.5).value_or(Duration{});
}

// The LUN of the same session with the shortest median, if that is at most a quarter of this LUN's.
const LunFacts *faster_lun(const Facts &facts, const LunFacts &worst) {
    return greatest_of(
        facts.luns,
        [&](const LunFacts &l) {
            const Duration median = median_of(l.service);
            return l.session == worst.session && l.lun != worst.lun && l.service.count() >= 10 &&
                           median * ordinary_times <= median_of(worst.service)
                       ? std::optional(-median)
                       : std::nullopt;
        });
}

// The answers beyond what is ordinary for the LUN, the type and the size of the command.
struct Late {
    double count = 0;
    double share = 0;   // of all answers
    double time = 0;    // what exceeds the ordinary, of the sum of all times
    Duration typical{}; // mean of what exceeds the ordinary
};

void add_late(const Histogram &h, Late &late) {
    const Duration ordinary = std::max(ordinary_min, ordinary_times * median_of(h));
    const double each = static_cast<double>(h.count()) / 100;
    for (int percent = 1; percent <= 100; ++percent)
        if (const Duration value = quantile(h, percent / 100.0).value_or(Duration{}); value > ordinary) {
            late.count += each;
            late.time += each * static_cast<double>((value - ordinary).count());
        }
}

// True if the target was slow in parts of the capture, however fast it was else: there it took most of the
// busy time, in waits as long as those of a slow one, nearly all of Reads and Writes.
bool slow_in_parts(const Finding &f, const Lost &lost) {
    Duration of_others{};
    for (const LostOfLunType &g : lost.by_lun)
        of_others += g.sum.key.type == TaskType::control ? g.sum.time : Duration{};
    return of_others * 10 <= lost.time() && !f.times.throughout && f.lost_time >= std::chrono::seconds(1) &&
           static_cast<double>(lost.waits.count) >= recurring &&
           (lost.waits.own_median() >= slow_median ||
            (f.times.level && f.times.level->within >= slow_median &&
             f.times.parts[0].lost >= std::chrono::seconds(1))) &&
           std::ranges::any_of(f.times.parts,
                               [](const FindingInterval &i) { return i.share.value_or(0) >= 0.5; });
}

// Where no part of the capture has much more of the lost time than the others, the service time may still be
// longer in a part of it than else.
void find_level(Finding &f, const RuleContext &c, const Lost &lost, const LunFacts *lun) {
    if (lun == nullptr || !f.times.throughout || f.times.period)
        return;
    const Course &course = *std::ranges::max_element(lun->service_course, {}, &Course::time);
    if (const std::optional<LevelChange> level = level_change_of(course))
        set_level(f, *level, "service time", lost.waits.course, c);
}

// From the percentiles of the service times. Without a LUN those of the waits alone are known.
Late late_answers(const LunFacts *lun, const Histogram &waits) {
    Late late;
    if (lun == nullptr)
        add_late(waits, late);
    else
        for (const Histogram &h : lun->service_by_size)
            add_late(h, late);
    late.typical = late.count > 0 ? Duration{static_cast<std::int64_t>(late.time / late.count)} : Duration{};
    const Histogram &all = lun == nullptr ? waits : lun->service;
    late.share = late.count / static_cast<double>(std::max<std::uint64_t>(all.count(), 1));
    late.time /= static_cast<double>(std::max<std::int64_t>(all.sum(), 1));
    return late;
}

// Returns how many pieces of one request of the host a command of the LUN waits for, if most of its commands
// are pieces that are sent at once: the target serves one behind the other.
std::uint64_t pieces_at_once(const RuleContext &c, const LunFacts *lun) {
    if (lun == nullptr || c.in.sessions == nullptr)
        return 1;
    for (const AccessFigures &a : c.in.sessions->access)
        if (first_session(a.lun.session) == lun->session && a.lun.lun == lun->lun && a.split &&
            a.split->at_once && a.split->pieces * a.split->requests * 2 > a.commands)
            return a.split->pieces;
    return 1;
}

// Returns the LUN with the service times of only those of its commands that are slow together: of one type,
// or of one type and size class, half of the LUN's time or more. Fast commands must not hide a slow half.
// Without such a group it returns the LUN as it is.
LunFacts slow_group(const LunFacts &lun) {
    LunFacts slow = lun;
    std::int64_t most = lun.service.sum() / 2;
    const auto judge = [&](std::size_t from, std::size_t to) {
        Histogram of_group;
        for (std::size_t i = from; i < to; ++i)
            of_group.merge(lun.service_by_size[i]);
        if (static_cast<double>(of_group.count()) < recurring || of_group.count() == lun.service.count() ||
            of_group.sum() <= most || median_of(of_group) < slow_median)
            return;
        most = of_group.sum();
        slow.service = of_group;
        slow.answered = of_group.count();
        slow.service_by_size = {};
        std::copy(lun.service_by_size.begin() + from, lun.service_by_size.begin() + to,
                  slow.service_by_size.begin() + from);
    };
    for (const std::size_t type : {std::size_t{0}, LunFacts::size_classes}) {
        for (std::size_t i = type; i < type + LunFacts::size_classes; ++i)
            judge(i, i + 1);
        judge(type, type + LunFacts::size_classes);
    }
    return slow;
}

struct Noun {
    const char *one = "command", *more = "commands";
};

// What the service times of the LUN are of.
Noun served(const LunFacts &lun) {
    std::uint64_t reads = 0, writes = 0;
    for (std::size_t i = 0; i < lun.service_by_size.size(); ++i)
        (i < LunFacts::size_classes ? reads : writes) += lun.service_by_size[i].count();
    return reads > 0 && writes == 0   ? Noun{"Read", "Reads"}
           : writes > 0 && reads == 0 ? Noun{"Write", "Writes"}
           : reads > 0                ? Noun{"Read or Write", "Reads and Writes"}
                                      : Noun{};
}

// slow: the usual answer is slow, not only some answers.
void name_lun(Finding &f, const Facts &facts, const LunFacts &worst, bool slow) {
    f.lun = worst.lun;
    f.session = worst.session;
    const Duration median = median_of(worst.service);
    const std::string name = "LUN " + to_string(Lun{worst.lun});
    const Noun noun = served(worst);
    const ConnectionFacts *k = connection_of_session(facts, worst.session);
    const std::uint64_t count = worst.service.count();
    const std::string of =
        human::plural(count, noun.one, noun.more) +
        (count < worst.answered ? " of " + human::count(worst.answered) + " answered" : std::string());
    const std::string beside = k != nullptr && k->rtt()
                                   ? " in addition to the network's " + human::duration(*k->rtt())
                                   : ", network time subtracted";
    f.title = name + (slow ? " answers slowly" : " answers late at times");
    if (slow)
        f.sentence = name + " took " + human::duration(median) + " per " + noun.one + beside +
                     " (median of " + of +
                     (count >= 100 ? "; 99 % within " + words(quantile(worst.service, 0.99))
                                   : "; at most " + words(quantile(worst.service, 1))) +
                     ")";
    else
        f.sentence = name + " took up to " + words(quantile(worst.service, 1)) + " per " + noun.one +
                     ", usually " + human::duration(median) + " (median of " + of + ")" + beside;
    if (const LunFacts *other = faster_lun(facts, worst))
        f.sentence += "; LUN " + to_string(Lun{other->lun}) + " took " + words(quantile(other->service, 0.5));
    f.sentence += ".";
    add_figure(f, "service_median", median);
    add_figure(f, "service_p99", quantile(worst.service, 0.99).value_or(Duration{}));
    for (const LunFacts::Slowest &s : worst.slowest) {
        add_evidence(f, s.command_frame, "command that took " + human::duration(s.service));
        add_evidence(f, s.answer_frame, "its answer");
    }
}

} // namespace

Verdict slow_target(const RuleContext &c) {
    const Lost &lost = c.lost.to(FindingKind::slow_target);
    const LunFacts *worst = busiest(c.facts);
    const LunFacts group = worst != nullptr ? slow_group(*worst) : LunFacts{};
    if (worst != nullptr)
        worst = &group;
    const std::uint64_t full = c.facts.of(TaskOutcome::task_set_full).count,
                        busy = c.facts.of(TaskOutcome::busy).count;
    if (lost.waits.count == 0 && full + busy == 0)
        return none(worst == nullptr ? "no service time could be separated from the network's"
                                     : "the target answered within " + words(quantile(worst->service, 0.99)) +
                                           " in 99 % of the cases, network time subtracted");
    Finding f = begin_finding(FindingKind::slow_target, c);
    find_level(f, c, lost, worst);
    const Histogram &times = worst != nullptr ? worst->service : lost.waits.own;
    const Duration median = median_of(times) / static_cast<std::int64_t>(pieces_at_once(c, worst));
    const bool one_lun = worst != nullptr && median >= ordinary_min && faster_lun(c.facts, *worst) != nullptr;
    const Late late = late_answers(worst, lost.waits.own);
    const bool often = late.share > 0.05 && late.typical > longest_tick &&
                       (late.count >= recurring || f.lost_time >= std::chrono::seconds(1));
    const bool usual = median >= slow_median || one_lun, slow = usual || slow_in_parts(f, lost);
    if (full + busy == 0 && static_cast<double>(lost.waits.count) < recurring &&
        f.lost_time < std::chrono::milliseconds(100) && median < quick_median)
        return none(human::plural(lost.waits.count, "late answer", "late answers") + " (" +
                    words(f.lost_time) + ") of a target whose median service time is " + words(median) +
                    ", as is usual for the first commands after a login");
    if (full + busy == 0 && !slow && !stalls(f) && median < quick_median &&
        late.time * f.share < problem_from)
        return none(human::plural(lost.waits.count, "late answer", "late answers") + " (" +
                    words(f.lost_time) + ") of a target whose median service time is " + words(median));
    // What is slow in other commands than Reads and Writes may be a drive or a changer that moves a medium.
    if (worst == nullptr || (!slow && !stalls(f) && (!often || late.time * f.concerned_share < problem_from)))
        f.at_most = Severity::notice;
    if (worst != nullptr)
        name_lun(f, c.facts, *worst, usual || median >= quick_median);
    else if (lost.waits.count > 0)
        f.sentence = "No Read or Write was measured; in half of " +
                     human::plural(lost.waits.count, "wait", "waits") +
                     " for answers to other commands the target took longer than " +
                     words(quantile(lost.waits.own, 0.5)) + ", network time subtracted.";
    f.sentence += lost_sentence(f, lost);
    if (full + busy > 0) {
        const std::string refused =
            "The target refused " +
            listed({full > 0 ? human::plural(full, "command", "commands") + " with TASK SET FULL"
                             : std::string(),
                    busy > 0 ? human::plural(busy, "command", "commands") + " with BUSY" : std::string()}) +
            ".";
        f.sentence = f.sentence.empty() ? refused : refused + " " + f.sentence;
        f.title = full >= busy ? "The target refuses commands (TASK SET FULL)"
                               : "The target refuses commands (BUSY)";
        if (full + busy >= 5) {
            f.nature = Nature::harm;
            f.at_most = Severity::problem;
        }
        const TaskOutcome more = full >= busy ? TaskOutcome::task_set_full : TaskOutcome::busy;
        add_evidence(f, c.facts.of(more).first_end, full >= busy ? "TASK SET FULL" : "BUSY");
        add_figure(f, "task_set_full", static_cast<double>(full));
        add_figure(f, "busy", static_cast<double>(busy));
    }
    const std::uint32_t deepest =
        std::max(c.facts.of(TaskType::read).deepest_queue, c.facts.of(TaskType::write).deepest_queue);
    if (full + busy > 0)
        f.remedy = deepest > 1
                       ? "Lower the initiators' queue depth (open-iscsi: node.session.queue_depth), or let "
                         "the target accept more commands. "
                       : "No queue was full, with one command at a time: see what else has the LUN, another "
                         "host or another path or gateway that takes it over. ";
    f.remedy +=
        worst != nullptr
            ? "Look at the storage behind LUN " + to_string(Lun{worst->lun}) +
                  ": medium, cache, load of other hosts (Linux target: iostat -x 1). Move what "
                  "competes with it, or use more disks."
            : "See which commands these are (iscsiscope cycles): a drive or a changer takes seconds to "
              "load, move or position a medium.";
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules
