// SPDX-License-Identifier: GPL-2.0-or-later
// pair A B [SHIFT_NS [DRIFT_PPM]]: two captures of one run as the pair library sees them, one JSON object a
// line; b's clock set wrong by so much first. For the comparison with what the links did (pairs.py).
#include "analyzer/tcp/pair/capture_pair.h"
#include "tests/support/each_segment.h"
#include "tests/unit/tcp/fed_tcp.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace iscsiscope;

namespace {

class Feeder final : public StreamSink, public AnomalySink {
public:
    explicit Feeder(PairSide &side) : side_(side) {}
    void on_open(const Connection &) override {}
    void on_piece(const Connection &, Side, const StreamPiece &) override {}
    void on_segment(const Connection &c, const SegmentReport &r) override {
        side_.on_segment(segment_record(c, r));
    }
    void on_close(const Connection &, CloseReason, Time, FrameNumber) override {}
    std::uint64_t content_needed_from(const Connection &, Side) override { return ~std::uint64_t{0}; }
    void on_anomaly(const Anomaly &) override {}

private:
    PairSide &side_;
};

bool read(const char *path, PairSide &side, double shift, double drift_ppm) {
    Feeder feeder(side);
    FedTcp engine(feeder, feeder);
    Time first{};
    const std::string error = test::each_segment(path, feeder, [&](Segment &s) {
        if (first == Time{})
            first = s.time;
        const auto since = static_cast<double>((s.time - first).count());
        s.time += Duration{std::llround(shift + since * drift_ppm * 1e-6)};
        engine.feed(s);
    });
    if (!error.empty()) {
        std::fprintf(stderr, "%s\n", error.c_str());
        return false;
    }
    engine.finish();
    return true;
}

void quantiles(const TcpQuantiles &q) {
    if (q.minimum)
        std::printf(",\"delay_min_ns\":%lld,\"delay_median_ns\":%lld,\"delay_max_ns\":%lld",
                    static_cast<long long>(q.minimum->count()), static_cast<long long>(q.median->count()),
                    static_cast<long long>(q.maximum->count()));
}

} // namespace

int main(int argc, char **argv) {
    if (argc < 3 || argc > 5) {
        std::fprintf(stderr, "usage: %s A B [SHIFT_NS [DRIFT_PPM]]\n", argv[0]);
        return 2;
    }
    PairSide a, b;
    if (!read(argv[1], a, 0, 0) ||
        !read(argv[2], b, argc > 3 ? std::atof(argv[3]) : 0, argc > 4 ? std::atof(argv[4]) : 0))
        return 2;
    const PairFigures figures = solve(a, b);
    if (figures.clock && figures.clock->reference) {
        const ClockRelation &k = *figures.clock;
        std::printf("{\"row\":\"clock\",\"reference_ns\":%lld,\"offset_ns\":%lld,\"drift_ppm\":%.4f,\"drift_"
                    "known\":%d,"
                    "\"asymmetry_ns\":%lld,\"segments\":%llu}\n",
                    static_cast<long long>(to_ns(*k.reference)), static_cast<long long>(k.offset.count()),
                    k.drift_ppm, k.drift_known ? 1 : 0, static_cast<long long>(k.asymmetry.count()),
                    static_cast<unsigned long long>(k.segments));
    }
    std::printf("{\"row\":\"pair\",\"connections\":%zu,\"only_a\":%llu,\"only_b\":%llu}\n",
                figures.connections.size(), static_cast<unsigned long long>(figures.only_a),
                static_cast<unsigned long long>(figures.only_b));
    for (const PairedConnection &c : figures.connections)
        for (const Side s : {Side::opener, Side::acceptor}) {
            const PairedDirection &d = c.directions[index(s)];
            const Endpoint &from = s == Side::opener ? c.opener : c.acceptor;
            const Endpoint &to = s == Side::opener ? c.acceptor : c.opener;
            std::printf(
                "{\"row\":\"direction\",\"stream_a\":%llu,\"stream_b\":%llu,\"sender_port\":%u,\"receiver_"
                "port\":%u,"
                "\"a_first\":%d,\"by_sequence\":%d,\"segments_a\":%llu,\"segments_b\":%llu,\"matched\":%llu,"
                "\"lost\":%zu,\"unmatched_second\":%llu,\"overtaken\":%llu",
                static_cast<unsigned long long>(c.stream_a.number),
                static_cast<unsigned long long>(c.stream_b.number), from.port, to.port, d.a_first ? 1 : 0,
                c.by == PairMatch::sequence_range ? 1 : 0, static_cast<unsigned long long>(d.segments_a),
                static_cast<unsigned long long>(d.segments_b), static_cast<unsigned long long>(d.matched),
                d.lost.size(), static_cast<unsigned long long>(d.unmatched_second),
                static_cast<unsigned long long>(d.overtaken));
            quantiles(d.delay);
            std::printf("}\n");
        }
    return 0;
}
