// SPDX-License-Identifier: GPL-2.0-or-later
#include "synthetic_sender.h"

#include "analyzer/tcp/diagnosis/tcp_diagnosis.h"
#include "tests/unit/tcp/fed_tcp.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace iscsiscope::test {
namespace {

constexpr std::uint32_t mss = 1448;

class Samples final : public StreamSink, TcpDiagnosisSink, public AnomalySink {
public:
    std::vector<TcpSample> taken;
    std::optional<std::uint8_t> learnt_scale;
    unsigned hint_every = 0; // segments
    Duration tap_rtt{};      // told as the hint
    void on_anomaly(const Anomaly &) override {}
    void on_open(const Connection &) override {}
    void on_piece(const Connection &, Side, const StreamPiece &) override {}
    void on_segment(const Connection &c, const SegmentReport &r) override {
        diagnosis_.on_segment(c, r);
        if (hint_every > 0 && ++segments_ % hint_every == 0)
            TcpDiagnosis::tap_rtt_seen(c, Side::opener, r.segment->time, tap_rtt);
    }
    void on_close(const Connection &c, CloseReason, Time, FrameNumber) override {
        const TcpDirectionFigures of_receiver = diagnosis_.finish(c, Side::acceptor, c.last_time);
        if (of_receiver.window_scale_inferred)
            learnt_scale = of_receiver.window_scale;
        diagnosis_.on_close(c);
    }
    std::uint64_t content_needed_from(const Connection &, Side) override { return ~std::uint64_t{0}; }

private:
    void on_tcp_sample(const Connection &, const TcpSample &s) override {
        if (s.sender == Side::opener)
            taken.push_back(s);
    }
    void on_retransmission(const Connection &, const TcpRetransmission &) override {}
    void on_reordering(const Connection &, const TcpReordering &) override {}
    TcpDiagnosis diagnosis_{*this};
    unsigned segments_ = 0;
};

struct Simulation {
    SyntheticSetting set;
    std::mt19937 random;
    struct Packet {
        std::uint64_t begin = 0, end = 0;
        bool sacked = false, lost = false, resent = false;
    };
    enum class Kind { arrive, acknowledge, write, pace };
    struct Event {
        Kind kind;
        Segment segment;
    };
    std::multimap<double, Event> events; // by time, ms
    double now = 0;
    // Sender.
    std::vector<Packet> packets; // all ever, in order
    std::size_t first = 0;       // oldest not acknowledged
    double cwnd = 10, threshold = 1e9;
    std::uint64_t available = 0;
    std::size_t recovery_end = 0;
    bool recovering = false;
    std::uint32_t echo = 0;               // TS.Recent
    std::uint32_t received = 0, told = 0; // of the receiver's own bytes: had, and acknowledged
    double last_stop_by_window = -1e9;
    // Link and receiver.
    double link_free = 0;
    std::set<std::pair<std::uint64_t, std::uint64_t>> held; // beyond the next expected byte
    std::uint64_t expected = 0;
    unsigned unacknowledged = 0;
    std::uint32_t own = 0; // bytes it has sent itself
    std::uint64_t until_answer = 0;
    std::pair<std::uint64_t, std::uint64_t> latest_block{};

    SyntheticRun run;
    std::multimap<double, Segment> tapped;

    double uniform() { return std::uniform_real_distribution<>(0, 1)(random); }

    Segment segment(bool data) const {
        Segment s;
        s.source.port = data ? 40000 : 3260;
        s.destination.port = data ? 3260 : 40000;
        s.source.address.bytes[15] = data ? 1 : 2;
        s.destination.address.bytes[15] = data ? 2 : 1;
        s.flags = tcp_ack;
        s.window = 60000;
        s.options.has_timestamps = set.timestamps;
        s.options.timestamp_value = 1000 + static_cast<std::uint32_t>(now); // a tick a millisecond
        return s;
    }

    std::size_t pipe() const {
        std::size_t n = 0;
        for (std::size_t i = first; i < packets.size(); ++i)
            if (!packets[i].sacked && (!packets[i].lost || packets[i].resent))
                ++n;
        return n;
    }

    // A retransmission always finds room: this sender has no timer to lose it to.
    void transmit(const Packet &p) {
        Segment s = segment(true);
        s.sequence = 1 + static_cast<std::uint32_t>(p.begin);
        s.acknowledgment = 1 + received;
        told = received;
        s.payload_length = static_cast<std::uint32_t>(p.end - p.begin);
        s.options.timestamp_echo = echo;
        if (set.tap < 0.5)
            tapped.emplace(now + set.tap * set.one_way_ms, s);
        const double at_link = now + set.one_way_ms / 2;
        link_free = std::max(link_free, at_link);
        if (!p.resent && (link_free - at_link) / set.packet_ms >= static_cast<double>(set.queue))
            return; // dropped
        link_free += set.packet_ms;
        if (set.tap >= 0.5)
            tapped.emplace(link_free + (set.tap - 0.5) * set.one_way_ms, s);
        events.emplace(link_free + set.one_way_ms / 2, Event{Kind::arrive, s});
    }

    void send_new(std::uint32_t length) {
        const std::uint64_t begin = packets.empty() ? 0 : packets.back().end;
        packets.push_back({begin, begin + length, false, false, false});
        --available;
        transmit(packets.back());
        run.truth.push_back({packets.back().end, static_cast<std::uint64_t>(cwnd) * mss, pipe(), false});
    }

    // BBR's ProbeBW: a round trip at 1.25, one at 0.75, six at 1.
    void send_paced() {
        const double round_trip = 2 * set.one_way_ms;
        const auto phase = static_cast<unsigned>(now / round_trip) % 8;
        const double gain = phase == 0 ? 1.25 : phase == 1 ? 0.75 : 1;
        cwnd = std::floor(2 * round_trip / set.packet_ms);
        for (unsigned i = 0; i < 3 && packets.size() < set.packets; ++i)
            send_new(mss);
        if (packets.size() < set.packets)
            events.emplace(now + 3 * set.packet_ms / gain, Event{Kind::pace, {}});
    }

    void send_what_fits() {
        if (set.paced)
            return;
        for (std::size_t i = first; i < packets.size() && recovering; ++i) {
            Packet &p = packets[i];
            if (p.lost && !p.resent && static_cast<double>(pipe()) < std::floor(cwnd)) {
                p.resent = true;
                ++run.retransmissions;
                transmit(p);
            }
        }
        while (packets.size() < set.packets && available > 0) {
            if (static_cast<double>(pipe()) >= std::floor(cwnd)) {
                last_stop_by_window = now;
                break;
            }
            send_new(uniform() < set.short_share ? 48 : mss);
        }
        const bool limited = now - last_stop_by_window < 2 * set.one_way_ms;
        for (auto t = run.truth.rbegin();
             t != run.truth.rend() && !t->limited && limited && t->end_offset == packets.back().end; ++t)
            t->limited = true;
    }

    void acknowledged(const Segment &s) {
        if (s.sequence - 1 <= told) // RFC 7323 section 4.3 (2)
            echo = s.options.timestamp_value;
        received = std::max(received, s.sequence - 1 + s.payload_length);
        const std::uint64_t ack = s.acknowledgment - 1;
        std::size_t newly = 0;
        while (first < packets.size() && packets[first].end <= ack) {
            ++newly;
            ++first;
        }
        std::size_t highest = first;
        for (std::size_t i = first; i < packets.size(); ++i) {
            for (std::size_t b = 0; b < s.options.sack_count; ++b)
                if (packets[i].begin + 1 >= s.options.sack[b].left &&
                    packets[i].end + 1 <= s.options.sack[b].right)
                    packets[i].sacked = true;
            if (packets[i].sacked)
                highest = i;
        }
        std::size_t above = 0;
        for (std::size_t i = highest + 1; i-- > first;)
            if (i < packets.size() && packets[i].sacked)
                ++above;
            else if (above >= 3)
                packets[i].lost = true;
        if (recovering && first >= recovery_end)
            recovering = false;
        if (!recovering && first < packets.size() && packets[first].lost) {
            recovering = true;
            recovery_end = packets.size();
            threshold = std::max(2.0, std::floor(cwnd / 2));
            cwnd = threshold;
        }
        if (!recovering && newly > 0 && now - last_stop_by_window < 2 * set.one_way_ms + 40)
            cwnd += cwnd < threshold ? static_cast<double>(newly) : static_cast<double>(newly) / cwnd;
        send_what_fits();
    }

    void arrived(const Segment &s) {
        const std::uint64_t begin = s.sequence - 1, end = begin + s.payload_length;
        const bool in_order = begin == expected;
        if (begin >= expected) {
            held.insert({begin, end});
            latest_block = {begin, end};
        }
        while (!held.empty() && held.begin()->first == expected) {
            expected = held.begin()->second;
            held.erase(held.begin());
        }
        ++unacknowledged;
        if (in_order && held.empty() && unacknowledged < 2 && expected / mss % 50 != 0 &&
            packets.size() < set.packets && set.burst == 0)
            return; // every second one (RFC 9293 section 3.8.6.3)
        unacknowledged = 0;
        Segment a = segment(false);
        a.sequence = 1 + own;
        a.acknowledgment = 1 + static_cast<std::uint32_t>(expected);
        a.options.timestamp_echo = s.options.timestamp_value;
        // The block of the latest arrival first (RFC 2018 section 4), then the lowest ones.
        std::vector<std::pair<std::uint64_t, std::uint64_t>> blocks;
        for (const auto &[b, e] : held)
            if (!blocks.empty() && blocks.back().second == b)
                blocks.back().second = e;
            else
                blocks.emplace_back(b, e);
        std::stable_partition(blocks.begin(), blocks.end(), [&](const auto &b) {
            return b.first <= latest_block.first && latest_block.second <= b.second;
        });
        for (std::size_t i = 0; i < std::min<std::size_t>(blocks.size(), 3); ++i)
            a.options.sack[a.options.sack_count++] = {1 + static_cast<std::uint32_t>(blocks[i].first),
                                                      1 + static_cast<std::uint32_t>(blocks[i].second)};
        tapped.emplace(now + (1 - set.tap) * set.one_way_ms, a);
        events.emplace(now + set.one_way_ms, Event{Kind::acknowledge, a});
        if (set.answer_every > 0 && ++until_answer >= set.answer_every) {
            until_answer = 0;
            a.payload_length = 48;
            own += 48;
            tapped.emplace(now + (1 - set.tap) * set.one_way_ms, a);
            events.emplace(now + set.one_way_ms, Event{Kind::acknowledge, a});
        }
    }

    void handshake() {
        Segment syn = segment(true);
        syn.flags = tcp_syn;
        syn.options.has_mss = syn.options.has_window_scale = syn.options.sack_permitted = true;
        syn.options.mss = mss + (set.timestamps ? 12 : 0);
        syn.options.window_scale = 7;
        tapped.emplace(now + set.tap * set.one_way_ms, syn);
        now += set.one_way_ms;
        Segment answer = segment(false);
        answer.flags = tcp_syn | tcp_ack;
        answer.acknowledgment = 1;
        answer.options = syn.options;
        answer.options.timestamp_value = segment(false).options.timestamp_value;
        tapped.emplace(now + (1 - set.tap) * set.one_way_ms, answer);
        now += set.one_way_ms;
        echo = answer.options.timestamp_value;
        Segment third = segment(true);
        third.sequence = third.acknowledgment = 1;
        third.options.timestamp_echo = echo;
        tapped.emplace(now + set.tap * set.one_way_ms, third);
    }

    SyntheticRun go() {
        handshake();
        available = set.burst == 0 ? set.packets : set.burst;
        if (set.paced)
            send_paced();
        send_what_fits();
        if (set.burst > 0)
            events.emplace(now + set.pause_ms, Event{Kind::write, {}});
        while (!events.empty()) {
            const Event e = events.begin()->second;
            now = events.begin()->first;
            events.erase(events.begin());
            if (e.kind == Kind::arrive) {
                arrived(e.segment);
            } else if (e.kind == Kind::acknowledge) {
                acknowledged(e.segment);
            } else if (e.kind == Kind::pace) {
                send_paced();
            } else if (packets.size() < set.packets) {
                available += set.burst;
                send_what_fits();
                events.emplace(now + set.pause_ms, Event{Kind::write, {}});
            }
        }
        Samples samples;
        samples.hint_every = set.hint_every;
        samples.tap_rtt =
            Duration(static_cast<std::int64_t>(2 * set.tap * set.one_way_ms * 1e6)); // without a queue
        FedTcp engine(samples, samples);
        FrameNumber frame = 0;
        for (auto &[time, s] : tapped) {
            ++frame;
            if (set.capture_loss > 0 && frame > 3 && uniform() < set.capture_loss)
                continue;
            if (!set.handshake && frame <= 3)
                continue;
            s.frame = frame;
            s.time = time_from_ns(1'700'000'000'000'000'000 + static_cast<std::int64_t>(time * 1e6));
            engine.feed(s);
        }
        engine.finish();
        run.samples = std::move(samples.taken);
        run.learnt_scale = samples.learnt_scale;
        return std::move(run);
    }
};

} // namespace

SyntheticRun run_synthetic(const SyntheticSetting &set) {
    Simulation s;
    s.set = set;
    s.random.seed(set.seed);
    return s.go();
}

} // namespace iscsiscope::test
