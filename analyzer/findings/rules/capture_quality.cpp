// SPDX-License-Identifier: GPL-2.0-or-later
// Rule capture_quality: packets missing from the capture, one direction missing, packets cut too short, what
// follows in iSER, clocks of merged files that differ. It states how far the other findings can be trusted.
#include "analyzer/findings/facts/export.h"
#include "analyzer/findings/rules/rule_tools.h"

#include <algorithm>

namespace iscsiscope::rules {
namespace {

struct Gaps {
    std::uint64_t unseen = 0, bytes = 0; // bytes missing from the capture; all bytes, missing ones included
    std::uint64_t one_sided = 0;         // connections
    std::uint64_t iser = 0;              // connections that went over to RDMA
    bool exported = false;               // what is missing was left out by a display filter
    bool skipped = false;                // PDUs are in the bytes that could not be read

    double missing() const { return ratio(unseen, bytes); }
};

Gaps look(const RuleContext &c) {
    Gaps g;
    for (const ConnectionFacts &k : c.facts.connections) {
        const ConnectionRecord &r = k.record;
        g.unseen += r.unseen_to_target + r.unseen_to_initiator;
        g.iser += r.login && goes_over_to_rdma(*r.login) ? 1 : 0;
        g.bytes += r.bytes_to_target + r.bytes_to_initiator;
        // An end that only acknowledged was seen.
        const bool initiator = r.segments_to_target != 0 || r.rtt_to_initiator,
                   target = r.segments_to_initiator != 0 || r.rtt_to_target;
        g.one_sided += initiator != target ? 1 : 0;
    }
    g.bytes += g.unseen;
    g.exported = is_export(c.facts);
    // A capture that begins within a session skips to the first header; this alone loses nothing after it.
    const IscsiCoverage &read = c.in.capture.coverage;
    const bool lost = !c.facts.first_anomalies[static_cast<std::size_t>(AnomalyKind::sync_lost)].empty();
    g.skipped = read.skipped_bytes > 0 && (read.resyncs > 0 || lost);
    return g;
}

double skipped_share(const IscsiCoverage &c) {
    return ratio(c.skipped_bytes, c.stream_bytes);
}

std::string mirror_words(std::uint64_t dropped, std::uint64_t sent) {
    return "the mirror dropped " + human::count(dropped) + " of " + human::plural(sent, "packet", "packets") +
           ", by the sequence numbers of ERSPAN: the network did not lose them";
}

std::string sentence(const RuleContext &c, const Gaps &g) {
    const std::uint64_t dropped = c.in.capture.dropped_by_capture;
    const IscsiCoverage &read = c.in.capture.coverage;
    std::vector<std::string> parts;
    for (const ClockGap &k : c.in.capture.clocks) {
        parts.push_back("the clock of " + human::path(k.file) + " is at least " + human::duration(k.least) +
                        " behind that of " + human::path(k.other) + ": " +
                        human::plural(k.seen, "acknowledgment comes", "acknowledgments come") +
                        " before their data, and times from the one file to the other are wrong");
    }
    if (g.one_sided > 0)
        parts.push_back("of " + human::plural(g.one_sided, "connection", "connections") +
                        " only one direction was captured");
    if (g.unseen > 0)
        parts.push_back(human::bytes(g.unseen) + " (" + percent(g.missing()) +
                        ") passed but are in no frame");
    if (g.exported)
        parts.push_back(
            "no acknowledgment without data is in the file: it is an export, by a display filter, of "
            "packets that begin or end PDUs; silence proves nothing in it");
    if (dropped > 0)
        parts.push_back("the capturing program dropped " + human::plural(dropped, "packet", "packets"));
    if (const std::uint64_t n = c.in.capture.dropped_by_mirror; n > 0)
        parts.push_back(mirror_words(n, c.in.capture.mirrored + n));
    if (g.iser > 0)
        parts.push_back(human::plural(g.iser, "connection", "connections") +
                        " switched to iSER after the login (RDMAExtensions=Yes): this is RDMA, which cannot "
                        "be read here, and not damage");
    if (g.skipped)
        parts.push_back(human::bytes(read.skipped_bytes) + " (" + percent(skipped_share(read)) +
                        ") had to be skipped to find the next PDU, " +
                        (read.resyncs > 0 ? human::plural(read.resyncs, "time", "times")
                                          : std::string("which was not found again")) +
                        (read.cut_bytes > 0 ? ", since packets were cut short" : ""));
    std::string text;
    for (std::size_t i = 0; i < parts.size(); ++i)
        text += i == 0 ? capitalized(parts[i]) : "; " + parts[i];
    TaskSums all;
    for (const TypeFacts &t : c.facts.types)
        all.merge(t);
    const std::uint64_t tasks = all.count;
    const std::uint64_t commands = c.facts.of(TaskOutcome::no_command).count,
                        answers = c.facts.of(TaskOutcome::unanswered).count;
    text += ". " + human::count(all.complete) + " of " + human::plural(tasks, "task is", "tasks are") +
            " complete";
    if (commands > 0)
        text += "; of " + human::count(commands) + " the command is missing";
    if (answers > 0)
        text += "; of " + human::count(answers) + " the answer is missing";
    return text + ".";
}

std::string remedy(const RuleContext &c, const Gaps &g) {
    std::string text;
    if (!c.in.capture.clocks.empty())
        text +=
            "Capture on one host, or keep the clocks together (PTP); a file can be corrected by about the "
            "time stated with `editcap -t SECONDS`. ";
    if (g.one_sided > 0)
        text += "Capture both directions: mirror both at a mirror port; with several paths (bonding, "
                "asymmetric routes) capture on all. ";
    if (c.in.capture.dropped_by_mirror > 0)
        text +=
            "Have the mirror send less: mirror only the ports or VLANs of the storage traffic, and give the "
            "path of its copies more bandwidth. ";
    if (g.iser > 0)
        text += "Take the figures of iSER from the two hosts. ";
    if (g.skipped && c.in.capture.coverage.cut_bytes > 0)
        text += "Capture whole packets (tcpdump -s 0): the header of a PDU may be anywhere in a packet. ";
    if (g.exported)
        text += "Analyse the capture that it was exported from, or export whole connections (tcp.stream, "
                "ip.addr). ";
    else if ((g.unseen > 0 && g.one_sided == 0 && c.in.capture.dropped_by_mirror == 0) ||
             c.in.capture.dropped_by_capture > 0)
        text += "Capture without drops: write to a fast disk with a larger buffer (tcpdump -B 65536), and "
                "check that a mirror port is not oversubscribed. ";
    if (text.empty())
        text = "Look at the first place where the next PDU had to be searched for: bytes there are damaged "
               "or not iSCSI. ";
    text.pop_back();
    return text;
}

void add_first(Finding &f, const RuleContext &c, AnomalyKind kind, const char *word) {
    if (const auto &all = c.facts.first_anomalies[static_cast<std::size_t>(kind)]; !all.empty())
        add_evidence(f, all.front().frame, word);
}

std::string all_there(const IscsiCoverage &c) {
    std::string text = "every byte that passed is accounted for, in both directions";
    if (c.cut_bytes > 0)
        text += "; what the snap length cut off holds no header of a PDU";
    return text;
}

} // namespace

Verdict capture_quality(const RuleContext &c) {
    const CaptureFacts &facts = c.in.capture;
    const Gaps g = look(c);
    const bool apart = !facts.clocks.empty();
    const bool dropped = facts.dropped_by_capture > 0 || facts.dropped_by_mirror > 0;
    if (!apart && g.unseen == 0 && !dropped && g.iser == 0 && g.one_sided == 0 && !g.skipped)
        return none(all_there(facts.coverage));
    const double worst = std::max(g.missing(), g.skipped ? skipped_share(facts.coverage) : 0.0);
    const bool doubtful = apart || g.one_sided > 0 || g.iser > 0 || g.exported;
    Finding f = begin_finding(FindingKind::capture_quality, c);
    f.nature = worst >= 0.1 || doubtful ? Nature::doubt : worst >= 0.01 ? Nature::harm : Nature::fault;
    if (f.nature == Nature::fault)
        f.at_most = Severity::notice;
    const bool only_mirror = facts.dropped_by_mirror > 0 && facts.dropped_by_capture == 0;
    f.title = apart                     ? "The clocks of the merged files differ"
              : g.iser > 0              ? "The session switched to iSER, which cannot be read"
              : g.one_sided > 0         ? "Only one direction was captured"
              : g.exported              ? "The capture is an export of packets that begin PDUs"
              : only_mirror             ? "Packets are missing from the capture: the mirror dropped them"
              : g.unseen > 0 || dropped ? "Packets are missing from the capture"
                                        : "Parts of the capture cannot be read";
    f.sentence = sentence(c, g);
    f.remedy = remedy(c, g);
    add_first(f, c, AnomalyKind::stream_hole, "first place where bytes are missing");
    if (g.skipped)
        add_first(f, c, AnomalyKind::sync_lost, "first place where the next PDU was not found");
    if (apart) {
        add_evidence(f, facts.clocks.front().first_frame, "the first acknowledgment before its data");
        add_figure(f, "clock_behind", facts.clocks.front().least);
    }
    add_figure(f, "unseen_share", g.missing(), FigureUnit::share);
    add_figure(f, "dropped_by_capture", static_cast<double>(facts.dropped_by_capture));
    if (facts.dropped_by_mirror > 0)
        add_figure(f, "dropped_by_mirror", static_cast<double>(facts.dropped_by_mirror));
    if (g.iser > 0)
        add_figure(f, "iser_connections", static_cast<double>(g.iser));
    if (g.skipped)
        add_figure(f, "skipped_share", skipped_share(facts.coverage), FigureUnit::share);
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules
