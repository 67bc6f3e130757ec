// SPDX-License-Identifier: GPL-2.0-or-later
// list_sessions [--strip] [--tm SECONDS] CAPTURE...: all that the room sessions says, for the eye.
#include "captures.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace iscsiscope;
using namespace iscsiscope::test;

namespace {

double ms(std::int64_t ns) {
    return static_cast<double>(ns) / 1e6;
}
double ms(Duration d) {
    return ms(to_ns(d));
}
double p(const Histogram &h, double q) {
    return ms(h.quantile(q).value_or(0));
}
using U = unsigned long long;

void list_groups(const SessionFigures &f) {
    for (const SessionGroup &g : f.groups) {
        std::printf("session %llu: %s %.3f, streams", U{g.session.number}, name(g.by).data(), g.confidence);
        for (const auto s : g.streams)
            std::printf(" %llu", U{s.number});
        std::printf("  %s -> %s\n    %s\n", g.initiator_name.c_str(), g.target_name.c_str(),
                    g.reason.c_str());
    }
    for (const PathGroup &g : f.path_groups) {
        std::printf("paths by %s%s %s: jain bytes %.3f, idle paths %llu\n", name(g.by).data(),
                    g.guess ? " (guess)" : "", g.identity.c_str(), g.by_bytes.jain.value_or(-1),
                    U{g.idle_paths});
        for (const PathShare &s : g.paths)
            std::printf("    session %llu: %llu tasks, bytes %.1f %%, p50 %.3f ms\n", U{s.session.number},
                        U{s.tasks}, 100 * s.byte_share, p(s.response_time, 0.5));
    }
    for (const MirrorPair &m : f.mirrors)
        std::printf(
            "mirror %llu/%llu: %llu pairs (%.1f %%), skew p50 %.3f p99 %.3f ms, last %.1f %% / %.1f %%\n",
            U{m.members[0].session.number}, U{m.members[1].session.number}, U{m.pairs}, 100 * m.paired_share,
            p(m.skew, 0.5), p(m.skew, 0.99), 100 * m.members[0].held_share, 100 * m.members[1].held_share);
}

void list_throughput(const SessionFigures &f) {
    for (const ThroughputFigures &t : f.throughput) {
        std::printf("throughput session %llu: active %.3f ms, total", U{t.session.number}, ms(t.active));
        for (const ThroughputFigures::Total &b : t.totals)
            std::printf(" %llu", U{b.stream_bytes});
        std::printf("; deviation %.0f (%.3f of mean), jain %.4f; %zu intervals\n", t.total_rate.deviation,
                    t.total_rate.ratio.value_or(-1), t.total_rate.jain.value_or(-1), t.rows.size());
        for (std::size_t i = 0; i < t.rows.size() && i < 6; ++i) {
            std::printf("    %llu: N %zu G %.0f", U{t.rows[i].interval}, t.rows[i].rate.members,
                        t.rows[i].rate.sum);
            std::printf(" deviation %.1f jain %.4f\n", t.rows[i].rate.deviation,
                        t.rows[i].rate.jain.value_or(-1));
        }
    }
    for (const DispatchFigures &d : f.dispatch) {
        std::printf("dispatch session %llu: %s, %llu choices, turn %.3f, least loaded %.3f of %llu;",
                    U{d.session.number}, name(d.policy).data(), U{d.choices}, d.round_robin_share,
                    d.least_loaded_share, U{d.unequal_choices});
        for (const auto c : d.commands)
            std::printf(" %llu", U{c});
        std::printf("\n");
    }
    for (const HoldFigures &h : f.holds) {
        std::printf("holds session %llu%s: %.3f ms, %.2f %% of its life\n", U{h.session.number},
                    h.whole ? " (whole)" : "", ms(h.held), 100 * h.share);
        for (const auto &m : h.members)
            std::printf("    stream %llu: %llu holds, %.3f ms, longest %.3f ms frame %llu\n",
                        U{m.stream.number}, U{m.holds}, ms(m.held), ms(m.longest), U{m.longest_frame});
    }
}

void list_load(const SessionFigures &f) {
    for (const auto *list : {&f.connection_depth, &f.session_depth})
        for (const DepthFigures &d : *list)
            std::printf(
                "depth %s %llu: mean %.6f, little %.6f + %.6f outside, most %u, %zu bins of %.2f ms\n",
                list == &f.connection_depth ? "connection" : "session", U{d.number}, d.mean_depth,
                d.littles_depth, d.outside_depth, d.most.value_or(0), d.depth.size(), ms(d.depth.width));
    for (const WindowFigures &w : f.windows)
        std::printf(
            "window %llu: %u..%u mean %.2f, closed %.2f %% (%llu), waiting %.2f %% (%llu), granted %u, "
            "longest %.3f ms frame %llu\n",
            U{w.session.number}, w.smallest, w.largest, w.mean, 100 * w.closed_share, U{w.closings},
            100 * w.closed_waiting_share, U{w.closings_waiting}, w.granted_max, ms(w.longest),
            U{w.longest_frame});
    for (const NopFigures &n : f.nops) {
        std::printf(
            "nop stream %llu: %llu by initiator, %llu by target, %llu unanswered; p50 %.3f ms; %zu rows\n",
            U{n.stream.number}, U{n.asked_by_initiator}, U{n.asked_by_target}, U{n.unanswered},
            p(n.round_trip, 0.5), n.rows.size());
        for (std::size_t i = 0; i < n.rows.size() && i < 4; ++i)
            std::printf("    frame %llu -> %llu, %.3f ms, %u commands %llu bytes\n", U{n.rows[i].frame},
                        U{n.rows[i].answer_frame.value_or(0)},
                        ms(n.rows[i].round_trip.value_or(Duration{-1})), n.rows[i].commands,
                        U{n.rows[i].bytes});
    }
}

void row(const char *what, const std::string &label, const TaskRow &r) {
    std::printf("  %s %s: %llu tasks, %.3f MB, %.1f IOPS, p50 %.3f p99 %.3f ms, service p50 %.3f\n", what,
                label.c_str(), U{r.count}, static_cast<double>(r.bytes) / 1e6, r.iops().value_or(0),
                p(r.response_time, 0.5), p(r.response_time, 0.99), p(r.service_time, 0.5));
}

void list_tables(const SessionFigures &f) {
    for (const auto &[k, r] : f.tables.by_initiator)
        row("initiator", k, r);
    for (const auto &[k, r] : f.tables.by_target)
        row("target", k, r);
    for (const auto &[k, r] : f.tables.by_portal)
        row("portal", to_text(k.address) + ":" + std::to_string(k.port), r);
    for (const auto &[k, r] : f.tables.by_lun)
        row("lun", to_string(k.session) + "/" + std::to_string(k.lun), r);
    for (const auto &[k, r] : f.tables.by_size)
        row("size", std::to_string(k == 0 ? 0 : std::uint64_t{1} << (k - 1)), r);
    for (const AccessFigures &a : f.access) {
        std::printf("access %llu/%llu %s: %llu commands, sequential %.3f, streams %.3f, misaligned %llu, "
                    "runs %llu, block %u",
                    U{a.lun.session.number}, U{a.lun.lun}, name(a.type).data(), U{a.commands},
                    a.sequential_share(), a.stream_share(), U{a.misaligned}, U{a.runs},
                    a.block_length.value_or(0));
        if (a.split)
            std::printf(" SPLIT %llu = %llu pieces of %llu, last %llu (%llu of %llu)",
                        U{a.split->asked_bytes}, U{a.split->pieces}, U{a.split->piece_bytes},
                        U{a.split->last_bytes}, U{a.split->requests}, U{a.split->runs});
        std::printf("\n");
    }
}

void list_rest(const SessionFigures &f) {
    for (const LoginFigures &l : f.logins.logins) {
        std::printf("login stream %llu: %s class %u, attempt %u, %.3f ms (from SYN %.3f), target %.3f ms\n",
                    U{l.stream.number}, l.login.accepted ? "accepted" : "not accepted", l.login.status_class,
                    l.attempt, ms(l.login.end - l.login.start), ms(l.from_syn.value_or(Duration{-1})),
                    ms(l.waiting_for_target));
    }
    for (const RuleRow &r : f.conformance.rules)
        if (r.broken != 0 || r.checked != 0) {
            std::printf("rule %s (%s): %llu of %llu broken", name(r.rule).data(), section(r.rule).data(),
                        U{r.broken}, U{r.checked});
            for (const OptionalFrame frame : r.first_frames)
                std::printf(" [frame %llu]", U{frame.value_or(0)});
            std::printf("\n");
        }
    if (f.limits.any())
        std::printf("left out: %llu connections, %llu intervals\n", U{f.limits.connections_left_out},
                    U{f.limits.intervals_left_out});
}

} // namespace

int main(int argc, char **argv) {
    bool strip = false;
    SessionOptions options;
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--strip") == 0) {
            strip = true;
        } else if (std::strcmp(argv[i], "--tm") == 0 && i + 1 < argc) {
            options.throughput_interval =
                Duration{static_cast<std::int64_t>(std::strtod(argv[++i], nullptr) * 1e9)};
        } else {
            std::printf("== %s\n", argv[i]);
            const Analysed a = analyse(read_frames(argv[i]), !strip, options);
            list_groups(a.figures);
            list_throughput(a.figures);
            list_load(a.figures);
            list_tables(a.figures);
            list_rest(a.figures);
        }
    }
    return 0;
}
