// SPDX-License-Identifier: GPL-2.0-or-later
#include "comparison.h"

#include "analyzer/tcp/diagnosis/tcp_diagnosis.h"
#include "tests/support/each_segment.h"
#include "tests/unit/tcp/fed_tcp.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

namespace iscsiscope::test {
namespace {

class Ignore final : public AnomalySink {
public:
    void on_anomaly(const Anomaly &) override {}
};

class Collector final : public StreamSink, TcpDiagnosisSink {
public:
    std::map<std::pair<StreamId, int>, CaptureSamples> directions;

    void on_open(const Connection &) override {}
    void on_piece(const Connection &, Side, const StreamPiece &) override {}
    void on_segment(const Connection &c, const SegmentReport &r) override { diagnosis_.on_segment(c, r); }
    void on_close(const Connection &c, CloseReason, Time, FrameNumber) override { diagnosis_.on_close(c); }
    std::uint64_t content_needed_from(const Connection &, Side) override { return ~std::uint64_t{0}; }

private:
    void on_tcp_sample(const Connection &c, const TcpSample &s) override {
        CaptureSamples &d = directions[{c.stream, static_cast<int>(s.sender)}];
        d.sender_port = c.end(s.sender).endpoint.port;
        d.samples.push_back(s);
    }
    void on_retransmission(const Connection &, const TcpRetransmission &) override {}
    void on_reordering(const Connection &, const TcpReordering &) override {}
    TcpDiagnosis diagnosis_{*this};
};

} // namespace

namespace {

// Feeds a capture to an engine; empty, or why it could not be read.
std::string feed(const std::string &path, bool without_timestamps, std::size_t skip, StreamSink &sink) {
    Ignore ignore;
    FedTcp engine(sink, ignore);
    const std::string error = each_segment(path, ignore, [&](Segment &s) {
        if (s.frame <= skip)
            return;
        if (without_timestamps)
            s.options.has_timestamps = false;
        engine.feed(s);
    });
    engine.finish();
    return error;
}

class TapRttSink final : public StreamSink {
public:
    std::optional<MinTapRtts> found;

    void on_open(const Connection &) override {}
    void on_piece(const Connection &, Side, const StreamPiece &) override {}
    void on_segment(const Connection &, const SegmentReport &) override {}
    void on_close(const Connection &c, CloseReason, Time, FrameNumber) override {
        const std::uint64_t segments = c.ends[0].segments + c.ends[1].segments;
        const Side initiator = c.ends[0].endpoint.port == 3260 ? Side::acceptor : Side::opener;
        const auto position = capture_position(c, initiator);
        if (segments <= max_ || !position)
            return;
        max_ = segments;
        found = {*c.end(initiator).rtt.minimum, *c.end(other(initiator)).rtt.minimum, *position};
    }
    std::uint64_t content_needed_from(const Connection &, Side) override { return ~std::uint64_t{0}; }

private:
    std::uint64_t max_ = 0;
};

} // namespace

std::optional<MinTapRtts> read_min_tap_rtts(const std::string &path, std::size_t skip) {
    TapRttSink sink;
    return feed(path, false, skip, sink).empty() ? sink.found : std::nullopt;
}

CaptureSamples read_samples(const std::string &path, bool without_timestamps) {
    Collector collector;
    if (const std::string error = feed(path, without_timestamps, 0, collector); !error.empty()) {
        CaptureSamples none;
        none.error = error;
        return none;
    }
    const CaptureSamples *most = nullptr;
    for (const auto &[key, d] : collector.directions)
        if (most == nullptr || d.samples.back().end_offset > most->samples.back().end_offset)
            most = &d;
    if (most == nullptr) {
        CaptureSamples none;
        none.error = path + ": no TCP data";
        return none;
    }
    return *most;
}

double quantile(std::vector<double> v, double q) {
    if (v.empty())
        return std::nan("");
    const auto at = v.begin() + static_cast<std::ptrdiff_t>(q * static_cast<double>(v.size() - 1));
    std::nth_element(v.begin(), at, v.end());
    return *at;
}

void Accuracy::add(const Accuracy &o) {
    limited += o.limited;
    limited_estimated += o.limited_estimated;
    numbers += o.numbers;
    below_low += o.below_low;
    above_high += o.above_high;
    high_known += o.high_known;
    for (std::size_t i = 0; i < rows_in.size(); ++i) {
        rows_in[i] += o.rows_in[i];
        inside_in[i] += o.inside_in[i];
        below_in[i] += o.below_in[i];
    }
    for (std::size_t i = 0; i < labels.size(); ++i) {
        labels[i] += o.labels[i];
        labels_limited[i] += o.labels_limited[i];
    }
    const auto append = [](std::vector<double> &to, const std::vector<double> &from) {
        to.insert(to.end(), from.begin(), from.end());
    };
    append(errors, o.errors);
    append(elsewhere, o.elsewhere);
    append(naive, o.naive);
    append(widths, o.widths);
    append(widths_all, o.widths_all);
    append(allowed, o.allowed);
}

namespace {

constexpr std::int64_t fresh_ns = 10'000'000;

// Samples by the time at which their segments were sent.
using SentSamples = std::vector<std::pair<std::int64_t, const TcpSample *>>;

SentSamples by_sending(const std::vector<TcpSample> &samples, const std::vector<TcpSample> *sent_at) {
    std::unordered_map<std::uint64_t, std::int64_t> times;
    if (sent_at != nullptr)
        for (const TcpSample &s : *sent_at)
            times[s.end_offset] = to_ns(s.time);
    SentSamples sent;
    for (const TcpSample &s : samples)
        if (sent_at == nullptr)
            sent.emplace_back(to_ns(s.time), &s);
        else if (const auto t = times.find(s.end_offset); t != times.end())
            sent.emplace_back(t->second, &s);
    return sent;
}

// Bytes sent in a millisecond, over the 100 ms before sent[last].
double bytes_a_tick(const SentSamples &sent, std::size_t last) {
    std::size_t first = last;
    while (first > 0 && sent[last].first - sent[first - 1].first <= 100'000'000)
        --first;
    const auto time = static_cast<double>(sent[last].first - sent[first].first);
    const auto bytes = static_cast<double>(sent[last].second->end_offset - sent[first].second->end_offset);
    return time <= 0 ? 0 : bytes / time * 1e6;
}

Accuracy::State state_of(const TcpInfoRow &row) {
    return row.congestion_state <= 1   ? Accuracy::open
           : row.congestion_state == 4 ? Accuracy::loss
                                       : Accuracy::recovery;
}

} // namespace

Accuracy compare(const std::vector<TcpSample> &samples, const std::vector<TcpInfoRow> &truth,
                 const std::vector<TcpSample> *sent_at) {
    const SentSamples sent = by_sending(samples, sent_at);
    Accuracy a;
    std::size_t next = 0;
    for (const TcpInfoRow &row : truth) {
        while (next < sent.size() && sent[next].first <= row.time_ns)
            ++next;
        if (next == 0 || row.time_ns - sent[next - 1].first > fresh_ns || row.cwnd == 0)
            continue;
        const TcpSample &s = *sent[next - 1].second;
        const double cwnd = static_cast<double>(row.cwnd * row.mss);
        const bool limited = row.congestion_state == 0 && row.pipe() + 1 >= row.cwnd;
        const bool below = cwnd < static_cast<double>(s.cwnd_low);
        const bool above = s.cwnd_high && cwnd > static_cast<double>(*s.cwnd_high);
        ++a.rows_in[state_of(row)];
        a.inside_in[state_of(row)] += below || above ? 0 : 1;
        a.below_in[state_of(row)] += below ? 1 : 0;
        ++a.labels[static_cast<std::size_t>(s.limit)];
        if (limited) {
            ++a.limited;
            ++a.labels_limited[static_cast<std::size_t>(s.limit)];
        }
        a.below_low += below ? 1 : 0;
        a.above_high += above ? 1 : 0;
        if (s.cwnd_high) {
            ++a.high_known;
            a.widths_all.push_back(static_cast<double>(*s.cwnd_high - s.cwnd_low) / cwnd);
        }
        if (!s.cwnd)
            continue;
        ++a.numbers;
        if (s.cwnd_high) {
            const double width = static_cast<double>(*s.cwnd_high - s.cwnd_low);
            a.widths.push_back(width / cwnd);
            a.allowed.push_back(width / std::max(cwnd / 4, 2 * bytes_a_tick(sent, next - 1)));
        }
        const double error = std::abs(static_cast<double>(*s.cwnd) - cwnd) / cwnd;
        if (!limited) {
            a.elsewhere.push_back(error);
            continue;
        }
        ++a.limited_estimated;
        a.errors.push_back(error);
        std::uint64_t flight = 0;
        for (std::size_t i = next; i-- > 0 && row.time_ns - sent[i].first <= fresh_ns;)
            flight = std::max(flight, sent[i].second->flight_at_tap);
        a.naive.push_back(std::abs(static_cast<double>(flight) - cwnd) / cwnd);
    }
    return a;
}

} // namespace iscsiscope::test
