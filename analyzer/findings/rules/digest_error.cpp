// SPDX-License-Identifier: GPL-2.0-or-later
// Rule digest_error: a CRC32C mismatch (RFC 7143 section 13.1), in the capture or as rejected by a peer. An
// end of whose digests not one is right computes them wrongly; where some are right, PDUs were damaged on
// their way.
#include "analyzer/findings/rules/rule_tools.h"

#include "analyzer/sessions/figures/session_figures.h"

#include <map>
#include <utility>

namespace iscsiscope::rules {
namespace {

// The digests of one kind that one end computed, on all its connections.
struct Sender {
    bool target = false, data = false;
    IpAddress address;
    std::uint64_t right = 0, wrong = 0, connections = 0;
    std::uint64_t lasting = 0; // of the connections, those that were logged out or are open at the end
    StreamId stream;           // of the first wrong one
    OptionalFrame first_wrong;
};

struct Senders {
    std::vector<Sender> all;
    std::uint64_t right = 0, to_target_right = 0;

    explicit Senders(const RuleContext &c) {
        std::map<std::pair<IpAddress, int>, Sender> by_end;
        if (c.in.sessions == nullptr)
            return;
        for (const DigestFigures &f : c.in.sessions->digests)
            for (const bool target : {false, true})
                for (const bool data : {false, true}) {
                    const EndDigests &end = target ? f.of_target : f.of_initiator;
                    const DigestCounts &counts = data ? end.data : end.header;
                    right += counts.right;
                    to_target_right += target ? 0 : counts.right;
                    const IpAddress &address = (target ? f.target : f.initiator).address;
                    Sender &s = by_end[{address, (target ? 2 : 0) + (data ? 1 : 0)}];
                    add(s, counts, f.stream, target, data, address);
                    s.lasting += counts.wrong > 0 && lasts(connection_of(c.facts, f.stream)) ? 1 : 0;
                }
        for (const auto &[key, s] : by_end)
            all.push_back(s);
    }

    static void add(Sender &s, const DigestCounts &counts, StreamId stream, bool target, bool data,
                    const IpAddress &address) {
        s.target = target;
        s.data = data;
        s.address = address;
        s.right += counts.right;
        s.wrong += counts.wrong;
        s.connections += counts.wrong > 0 ? 1 : 0;
        if (!s.first_wrong && counts.first_wrong) {
            s.first_wrong = counts.first_wrong;
            s.stream = stream;
        }
    }

    static bool lasts(const ConnectionFacts *k) {
        return k != nullptr && (k->record.outcome == ConnectionOutcome::open ||
                                k->record.outcome == ConnectionOutcome::logged_out);
    }

    const Sender *worst() const {
        const Sender *w = nullptr;
        for (const Sender &s : all)
            if (s.wrong > 0 && (w == nullptr || s.wrong > w->wrong))
                w = &s;
        return w;
    }

    // True if no digest of this end is right and none of the other ends is wrong. One by itself may have been
    // damaged by chance.
    bool computes_wrongly(const Sender &s) const {
        constexpr std::uint64_t no_chance = 2;
        return s.wrong >= no_chance && s.right == 0 && std::ranges::none_of(all, [&](const Sender &o) {
                   return o.wrong > 0 && (o.target != s.target || o.address != s.address);
               });
    }
};

// True if the receiver took PDU after PDU with these digests. One that checks them gives the PDU up, and with
// it the connection or the command (RFC 7143 section 7.8): several may be under way then, not ten.
bool are_taken(const Sender &s, std::uint64_t rejected) {
    return rejected == 0 && s.lasting == s.connections && s.wrong >= 10 * s.connections;
}

std::string sender_words(const Sender &s) {
    return std::string(s.target ? "the target " : "the initiator ") + to_text(s.address);
}

std::string kind_words(const Sender &s) {
    return s.data ? "data" : "header";
}

std::string always_wrong_words(const Senders &senders, const Sender &s) {
    return capitalized(sender_words(s)) + " computes its " + kind_words(s) +
           " digests wrongly: " + (s.wrong == 2 ? "both" : "all " + human::count(s.wrong)) +
           " that it sent, on " + human::plural(s.connections, "connection", "connections") +
           ", do not match the bytes covered" +
           (senders.right > 0
                ? ", while " + human::plural(senders.right, "other digest is", "other digests are") + " right"
                : "") +
           " and no TCP checksum is wrong.";
}

std::string taken_words(const Sender &s) {
    return "All " + human::count(s.wrong) + " " + kind_words(s) + " digests that " + sender_words(s) +
           " sent do not match the bytes covered, and yet the receiver goes on: it does not check them, or "
           "the "
           "network card of the sender fills them in after this capture point.";
}

std::string some_wrong_words(const Sender &s) {
    return human::count(s.wrong) + " of the " + human::count(s.right + s.wrong) + " " + kind_words(s) +
           " digests that " + sender_words(s) + " sent " + (s.wrong == 1 ? "is" : "are") + " wrong.";
}

constexpr const char *wrong_computation =
    "Turn that digest off (HeaderDigest or DataDigest=None; open-iscsi: "
    "node.conn[0].iscsi.DataDigest), and update the software, driver or firmware of that end, or take the "
    "digest off its network card (iSCSI offload). Cables and switches are not the cause.";
constexpr const char *wrong_here_alone =
    "Capture at the other end too: if the digests are right there, nothing is wrong (iSCSI offload of the "
    "network card). Otherwise turn them off, since they protect nothing, or update the end that computes "
    "them "
    "wrongly.";
constexpr const char *damage_on_the_way =
    "Switch the network cards' offloads off at both ends to test (Linux: ethtool -K … tso off gso off gro "
    "off). Then check memory and firmware of both ends and devices that rewrite packets: TCP's checksum did "
    "not find this damage.";
constexpr const char *damage_behind_tap =
    "Look for what lies between this capture point and the target: its network card with its offloads, its "
    "memory, devices that rewrite packets. Compare with a capture at the target.";

} // namespace

Verdict digest_error(const RuleContext &c) {
    const std::uint64_t wrong = c.facts.count(AnomalyKind::digest_mismatch);
    std::uint64_t rejected = 0;
    FrameNumber reject = 0;
    if (const auto at = c.facts.events.find({Opcode::reject, 2});
        at != c.facts.events.end()) { // Data Digest Error
        rejected = at->second.count;
        reject = at->second.first.front().frame;
    }
    if (wrong + rejected == 0)
        return none("no digest that could be checked was wrong");
    Finding f = begin_finding(FindingKind::digest_error, c);
    const Senders senders(c);
    const Sender *worst = senders.worst();
    const bool always = worst != nullptr && senders.computes_wrongly(*worst) &&
                        c.facts.count(AnomalyKind::damaged_frame) == 0;
    const std::string refused =
        rejected > 0
            ? "the target rejected " + human::plural(rejected, "PDU", "PDUs") + " for a data digest error"
            : std::string();
    const bool taken = always && are_taken(*worst, rejected);
    if (taken) {
        f.title = "Digests are wrong here, but the receiver takes them";
        f.at_most = Severity::notice;
        f.sentence = taken_words(*worst);
    } else if (always) {
        f.title = std::string(worst->target ? "The target" : "The initiator") + " computes digests wrongly";
        f.sentence = always_wrong_words(senders, *worst);
        if (!refused.empty())
            f.sentence += " " + capitalized(refused) + ".";
    } else {
        f.sentence = capitalized(listed({wrong > 0 ? human::plural(wrong, "digest does", "digests do") +
                                                         " not match the bytes covered"
                                                   : std::string(),
                                         refused})) +
                     ".";
        if (worst != nullptr)
            f.sentence += " " + some_wrong_words(*worst);
        else if (wrong == 0 && senders.to_target_right > 0)
            f.sentence += " The " + human::plural(senders.to_target_right, "digest", "digests") +
                          " that initiators sent are right here, so the damage arises after this capture "
                          "point.";
    }
    for (const Anomaly &a : c.facts.first_anomalies[static_cast<std::size_t>(AnomalyKind::digest_mismatch)]) {
        add_evidence(f, a.frame, "a PDU whose digest does not match");
        f.stream = a.stream;
    }
    add_evidence(f, reject, "Reject: data digest error");
    add_figure(f, "wrong", static_cast<double>(wrong));
    add_figure(f, "rejected", static_cast<double>(rejected));
    f.remedy = taken                                       ? wrong_here_alone
               : always                                    ? wrong_computation
               : wrong == 0 && senders.to_target_right > 0 ? damage_behind_tap
                                                           : damage_on_the_way;
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules
