// SPDX-License-Identifier: GPL-2.0-or-later
// evidence CAPTURE: what the engine says of TCP, one JSON object a line: retransmissions, reorderings, gaps,
// directions, connections. For the comparison with a run's truth (losses.py, kinds.py).
#include "analyzer/cycles/engine.h"
#include "tests/support/each_segment.h"

#include <cstdio>
#include <map>
#include <string>
#include <utility>

using namespace iscsiscope;

namespace {

long long ns(Duration d) {
    return d.count();
}

const char *way(PduDirection d) {
    return d == PduDirection::to_target ? "to_target" : "to_initiator";
}

std::string text(std::string_view v) {
    return std::string(v);
}

void waits(const char *key, const TcpWaits &w) {
    std::printf(",\"%s\":%llu,\"%s_ns\":%lld", key, static_cast<unsigned long long>(w.count), key,
                ns(w.total));
}

unsigned long long number(std::uint64_t v) {
    return v;
}

// 0 if there is no such frame.
unsigned long long number(OptionalFrame f) {
    return f.value_or(0);
}

class Printer final : public Takes<SegmentRecord, RetransmissionRecord, ReorderingRecord, GapRecord,
                                   TcpDirectionRecord, ConnectionRecord> {
public:
    // Every segment with payload, for whoever wants to count for himself.
    void on(const SegmentRecord &r) override {
        const Segment &s = r.segment;
        if (s.payload_length == 0 || r.probe || r.damaged)
            return;
        base_[{r.stream, r.sender}] =
            s.sequence + ((s.flags & tcp_syn) != 0 ? 1U : 0U) - static_cast<std::uint32_t>(r.offset);
        std::printf(
            "{\"row\":\"segment\",\"stream\":%llu,\"sender_port\":%u,\"receiver_port\":%u,\"frame\":%llu,"
            "\"time_ns\":%lld,\"seq\":%u,\"length\":%u}\n",
            number(r.stream.number), s.source.port, s.destination.port, number(s.frame),
            static_cast<long long>(to_ns(s.time)), s.sequence, s.payload_length);
    }
    void on(const RetransmissionRecord &r) override {
        const ConnectionFace &c = *r.connection;
        std::printf("{\"row\":\"retransmission\",\"stream\":%llu,\"direction\":\"%s\",\"frame\":%llu,\"time_"
                    "ns\":%lld,"
                    "\"original_frame\":%llu,\"sequence\":%u,\"length\":%u,\"class\":\"%s\",\"place\":\"%s\","
                    "\"silence_ns\":%lld,\"attempt\":%u,\"sender_port\":%u,\"receiver_port\":%u}\n",
                    number(r.stream.number), way(r.direction), number(r.frame),
                    static_cast<long long>(to_ns(r.time)), number(r.original_frame),
                    static_cast<std::uint32_t>(r.offset) + base_[{r.stream, r.sender}], r.length,
                    text(name(r.kind)).c_str(), text(name(r.place)).c_str(), ns(r.silence), r.attempt,
                    c.endpoint(r.sender).port, c.endpoint(other(r.sender)).port);
    }
    void on(const ReorderingRecord &r) override {
        std::printf("{\"row\":\"reordering\",\"stream\":%llu,\"direction\":\"%s\",\"frame\":%llu,\"overtaken_"
                    "by\":%llu,"
                    "\"segments\":%u,\"delay_ns\":%lld,\"proof\":\"%s\"}\n",
                    number(r.stream.number), way(r.direction), number(r.frame), number(r.overtaken_by),
                    r.segments, ns(r.delay), text(name(r.proof)).c_str());
    }
    void on(const GapRecord &g) override {
        std::printf("{\"row\":\"gap\",\"stream\":%llu,\"start_ns\":%lld,\"length_ns\":%lld,\"active_ns\":%"
                    "lld,\"kind\":\"%s\","
                    "\"before\":%llu,\"after\":%llu,\"proof\":{",
                    number(g.stream.number), static_cast<long long>(to_ns(g.start)), ns(g.length),
                    ns(g.active_part), text(name(g.kind)).c_str(), number(g.before_frame),
                    number(g.after_frame));
        bool any = false;
        for (const GapProofFrame &p : g.proof)
            if (p.frame) {
                std::printf("%s\"%s\":%llu", any ? "," : "", text(name(p.proof)).c_str(), number(p.frame));
                any = true;
            }
        std::printf("}}\n");
    }
    void on(const TcpDirectionRecord &r) override {
        const ConnectionFace &c = *r.connection;
        const TcpDirectionFigures &f = *r.figures;
        std::printf("{\"row\":\"direction\",\"stream\":%llu,\"direction\":\"%s\",\"sender_port\":%u,"
                    "\"receiver_port\":%u,"
                    "\"life_ns\":%lld,\"segments\":%llu,\"bytes\":%llu,\"unseen_bytes\":%llu,\"duplicate_"
                    "frames\":%llu,"
                    "\"duplicates_received\":%llu,\"full_segment\":%u",
                    number(f.stream.number), way(r.direction), c.endpoint(f.sender).port,
                    c.endpoint(other(f.sender)).port, ns(f.end - f.start), number(f.segments),
                    number(f.bytes), number(f.unseen_bytes), number(f.duplicate_frames),
                    number(f.duplicates_received), f.full_segment.value_or(0));
        std::printf(",\"ecn\":%d,\"sack\":%d,\"timestamps\":%d,\"window_scale\":%d,\"scale_inferred\":%d",
                    f.ecn ? 1 : 0, f.sack_offered ? 1 : 0, f.timestamps ? 1 : 0,
                    f.window_scale ? *f.window_scale : -1, f.window_scale_inferred ? 1 : 0);
        for (std::size_t i = 0; i < retransmission_class_count; ++i)
            std::printf(",\"%s\":%llu", text(name(static_cast<RetransmissionClass>(i))).c_str(),
                        number(f.retransmissions[i]));
        std::printf(",\"before_tap\":%llu,\"behind_tap\":%llu,\"unknown_place\":%llu,\"reorderings\":%llu,"
                    "\"extent\":%u",
                    number(f.lost_before_tap), number(f.lost_behind_tap), number(f.lost_unknown_place),
                    number(f.reorderings), f.reordering_segments);
        waits("timeouts", f.timeouts);
        waits("recoveries", f.recoveries);
        waits("zero_window", f.zero_window);
        waits("window_full", f.window_full);
        waits("delayed_acks", f.delayed_acks);
        waits("delayed_acks_costly", f.delayed_acks_costly);
        waits("nagle", f.nagle);
        std::printf(",\"duplicate_acks\":%llu,\"pure_acks\":%llu", number(f.duplicate_acks),
                    number(f.pure_acks));
        const auto tap_rtt = [](const char *key, const TcpQuantiles &q) {
            if (q.minimum)
                std::printf(",\"%s_min_ns\":%lld,\"%s_median_ns\":%lld,\"%s_p95_ns\":%lld", key,
                            ns(*q.minimum), key, ns(*q.median), key, ns(*q.p95));
        };
        tap_rtt("to_sender", f.rtt_to_sender);
        tap_rtt("to_receiver", f.rtt_to_receiver);
        tap_rtt("rtt", f.rtt);
        tap_rtt("queue", f.queue_delay);
        for (std::size_t i = 0; i < send_limit_count; ++i)
            std::printf(",\"%s_limit_ns\":%lld", text(name(static_cast<SendLimit>(i))).c_str(),
                        ns(f.limit_time[i]));
        std::printf(",\"busy_ns\":%lld,\"largest_flight\":%llu,\"samples\":%llu,\"largest_acked\":%u",
                    ns(f.busy), number(f.largest_flight), number(f.samples), f.largest_acked_segment);
        if (f.largest_window)
            std::printf(",\"largest_window\":%llu", number(*f.largest_window));
        if (f.send_plateau)
            std::printf(",\"plateau\":%llu", number(*f.send_plateau));
        if (f.smallest_black_holed)
            std::printf(",\"black_holed\":%u", *f.smallest_black_holed);
        std::printf(",\"ack_delays\":[");
        for (std::size_t i = 0; i < f.ack_delays.size(); ++i)
            std::printf("%s%llu", i == 0 ? "" : ",", number(f.ack_delays[i]));
        std::printf("]}\n");
    }
    void on(const ConnectionRecord &r) override {
        Duration life{}, sum = r.transfer;
        if (r.active_start)
            life = *r.active_end - *r.active_start;
        for (const Duration part : r.gap_time)
            sum += part;
        std::printf(
            "{\"row\":\"connection\",\"stream\":%llu,\"active_ns\":%lld,\"sum_ns\":%lld,\"transfer_ns\":%lld",
            number(r.stream.number), ns(life), ns(sum), ns(r.transfer));
        std::printf(",\"position\":%.5f,\"rtt_to_initiator_ns\":%lld,\"rtt_to_target_ns\":%lld,\"kinds\":{",
                    r.capture_position ? r.capture_position->value : -1,
                    ns(r.rtt_to_initiator.value_or(Duration{-1})),
                    ns(r.rtt_to_target.value_or(Duration{-1})));
        bool any = false;
        for (std::size_t i = 0; i < gap_kind_count; ++i)
            if (r.gap_time[i] > Duration{}) {
                std::printf("%s\"%s\":%lld", any ? "," : "", text(name(static_cast<GapKind>(i))).c_str(),
                            ns(r.gap_time[i]));
                any = true;
            }
        std::printf("}}\n");
    }

private:
    std::map<std::pair<StreamId, Side>, std::uint32_t> base_; // sequence number of offset 0
};

int run(const char *path) {
    Printer printer;
    RecordTables tables(printer);
    Engine engine(tables);
    const std::string error = test::each_segment(path, tables, [&](const Segment &s) { engine.feed(s); });
    if (!error.empty()) {
        std::fprintf(stderr, "%s\n", error.c_str());
        return 2;
    }
    engine.finish();
    return 0;
}

} // namespace

int main(int argc, char **argv) {
    if (argc != 2) {
        std::fprintf(stderr, "usage: %s CAPTURE\n", argv[0]);
        return 2;
    }
    return run(argv[1]);
}
