// SPDX-License-Identifier: GPL-2.0-or-later
// ConnectionDirectory::find remembers the connections used last (docs/short-ways.md): whatever connections
// are interleaved, each gives what it gives alone in an engine, where it is found by nothing else.
#include "catch.h"
#include "tcp/recording.h"
#include "tcp/traffic.h"
#include "tests/unit/tcp/fed_tcp.h"

#include <algorithm>
#include <tuple>

using namespace iscsiscope;
using namespace traffic;

namespace {

struct Talk {
    std::uint16_t initiator_port, target_port;
    std::vector<Packet> packets;
};

// Both directions with losses, repeats and disorder. Ports are chosen so that endpoints resemble each other:
// one port with several targets, and pairs whose ports are exchanged.
std::vector<Talk> talks(std::mt19937 &random, std::size_t number) {
    std::vector<Talk> all;
    for (std::size_t n = 0; n < number; ++n) {
        const auto low = static_cast<std::uint16_t>(3260 + n / 2), high = std::uint16_t{50000};
        Talk t{n % 2 == 0 ? high : low, n % 2 == 0 ? low : high, handshake()};
        for (const int side : {0, 1}) {
            const std::vector<std::byte> stream(4000 + 100 * n, static_cast<std::byte>(n + 1));
            std::vector<Packet> more = scramble(side, stream, random, {});
            t.packets.insert(t.packets.end(), more.begin(), more.end());
        }
        std::shuffle(t.packets.begin() + 3, t.packets.end(), random);
        all.push_back(std::move(t));
    }
    return all;
}

// Whose packet is next: runs of up to so many of one talk, as in bulk transfers.
std::vector<std::size_t> interleaved(const std::vector<Talk> &all, std::size_t longest,
                                     std::mt19937 &random) {
    std::vector<std::size_t> turns, left, who;
    for (const Talk &t : all) {
        who.push_back(left.size());
        left.push_back(t.packets.size());
    }
    while (!who.empty()) {
        const std::size_t place = random() % who.size(), n = who[place];
        const std::size_t run = std::min(left[n], 1 + random() % longest);
        turns.insert(turns.end(), run, n);
        left[n] -= run;
        if (left[n] == 0)
            who.erase(who.begin() + static_cast<std::ptrdiff_t>(place));
    }
    return turns;
}

auto parts(const SegmentReport &r) {
    return std::tuple(r.side, r.offset, r.new_bytes, r.first_new_offset, r.repeats, r.before_start,
                      r.out_of_order, r.probe, r.ack_advanced, r.continues_run);
}

// The reports and pieces of each connection, by the number of its talk.
struct Sorted final : StreamSink, AnomalySink {
    explicit Sorted(std::size_t number) : reports(number), pieces(number) {}
    std::vector<std::vector<decltype(parts(SegmentReport{}))>> reports;
    std::vector<std::vector<std::tuple<Side, std::uint64_t, std::uint32_t, bool>>> pieces;
    std::vector<std::size_t> talk_of_stream;
    std::size_t feeding = 0; // the talk of the segment that is fed

    void on_open(const Connection &) override { talk_of_stream.push_back(feeding); }
    void on_segment(const Connection &c, const SegmentReport &r) override {
        reports[talk_of_stream[c.stream.number]].push_back(parts(r));
    }
    void on_piece(const Connection &c, Side s, const StreamPiece &p) override {
        pieces[talk_of_stream[c.stream.number]].emplace_back(s, p.offset, p.length, p.unseen);
    }
    void on_close(const Connection &, CloseReason, Time, FrameNumber) override {}
    std::uint64_t content_needed_from(const Connection &, Side) override { return ~std::uint64_t{0}; }
    void on_anomaly(const Anomaly &) override {}
};

} // namespace

TEST_CASE("a connection among others gives what it gives alone", "[tcp]") {
    for (unsigned seed = 0; seed < 20; ++seed) {
        CAPTURE(seed);
        std::mt19937 random(seed);
        std::vector<Talk> all = talks(random, 2 + seed % 7);
        const std::vector<std::size_t> turns = interleaved(all, seed % 2 == 0 ? 1 : 9, random);
        std::vector<std::size_t> next(all.size());
        std::int64_t now = 1'000'000'000;
        for (const std::size_t n : turns)
            all[n].packets[next[n]++].time_ns = now += static_cast<std::int64_t>(random() % 50'000);

        Sorted together(all.size()), alone(all.size());
        {
            FedTcp engine{together, together};
            next.assign(all.size(), 0);
            FrameNumber frame = 0;
            for (const std::size_t n : turns) {
                together.feeding = n;
                engine.feed(
                    segment(all[n].packets[next[n]++], ++frame, all[n].initiator_port, all[n].target_port));
            }
            engine.finish();
        }
        CHECK(together.talk_of_stream.size() == all.size());
        for (std::size_t n = 0; n < all.size(); ++n) {
            Sorted one(all.size());
            FedTcp engine{one, one};
            one.feeding = n;
            FrameNumber frame = 0;
            for (const Packet &p : all[n].packets)
                engine.feed(segment(p, ++frame, all[n].initiator_port, all[n].target_port));
            engine.finish();
            CHECK(one.talk_of_stream.size() == 1);
            alone.reports[n] = one.reports[n];
            alone.pieces[n] = one.pieces[n];
        }
        CHECK((together.reports == alone.reports));
        CHECK((together.pieces == alone.pieces));
    }
}
