// SPDX-License-Identifier: GPL-2.0-or-later
#include "comparison.h"

#include "analyzer/capture/capture_reader.h"
#include "analyzer/capture/frame_decoder.h"
#include "analyzer/tcp/inference/tcp_inference.h"
#include "analyzer/tcp/tcp_engine.h"

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

class Collector final : public StreamSink, TcpSampleSink {
public:
    std::map<std::pair<std::uint64_t, int>, CaptureSamples> directions;

    void on_open(const Connection &) override {}
    void on_piece(const Connection &, Side, const StreamPiece &) override {}
    void on_segment(const Connection &c, const SegmentReport &r) override { inference_.on_segment(c, r); }
    void on_close(const Connection &c, CloseReason, Time, FrameNumber) override { inference_.on_close(c); }
    std::uint64_t content_needed_from(const Connection &, Side) override { return ~std::uint64_t{0}; }

private:
    void on_tcp_sample(const Connection &c, const TcpSample &s) override {
        CaptureSamples &d = directions[{c.stream, static_cast<int>(s.sender)}];
        d.sender_port = c.end(s.sender).endpoint.port;
        d.samples.push_back(s);
    }
    TcpInference inference_{*this};
};

double quantile(std::vector<double> &v, double q) {
    if (v.empty())
        return std::nan("");
    const auto at = v.begin() + static_cast<std::ptrdiff_t>(q * static_cast<double>(v.size() - 1));
    std::nth_element(v.begin(), at, v.end());
    return *at;
}

} // namespace

CaptureSamples read_samples(const std::string &path, bool without_timestamps) {
    Ignore ignore;
    std::unique_ptr<CaptureReader> reader;
    try {
        reader = CaptureReader::open(path, ignore);
    } catch (const OpenError &e) {
        CaptureSamples none;
        none.error = e.what();
        return none;
    }
    FrameDecoder decoder(ignore);
    Collector collector;
    TcpEngine engine(collector, ignore);
    Frame frame;
    Segment segment;
    while (reader->next(frame)) {
        if (decoder.decode(frame, segment)) {
            if (without_timestamps)
                segment.options.has_timestamps = false;
            engine.feed(segment);
        }
    }
    engine.finish();
    const CaptureSamples *most = nullptr;
    for (const auto &[key, d] : collector.directions) {
        if (most == nullptr || d.samples.back().end_offset > most->samples.back().end_offset)
            most = &d;
    }
    if (most == nullptr) {
        CaptureSamples none;
        none.error = path + ": no TCP data";
        return none;
    }
    return *most;
}

Accuracy compare(const std::vector<TcpSample> &samples, const std::vector<TcpInfoRow> &truth,
                 const std::vector<TcpSample> *sent_at) {
    constexpr std::int64_t fresh = 10'000'000;
    std::unordered_map<std::uint64_t, std::int64_t> times;
    if (sent_at != nullptr) {
        for (const TcpSample &s : *sent_at)
            times[s.end_offset] = to_ns(s.time);
    }
    std::vector<std::pair<std::int64_t, const TcpSample *>> sent;
    for (const TcpSample &s : samples) {
        if (sent_at == nullptr)
            sent.emplace_back(to_ns(s.time), &s);
        else if (const auto t = times.find(s.end_offset); t != times.end())
            sent.emplace_back(t->second, &s);
    }
    Accuracy a;
    std::vector<double> errors, naive, widths;
    std::size_t below = 0, above = 0, high_known = 0, next = 0;
    for (const TcpInfoRow &row : truth) {
        while (next < sent.size() && sent[next].first <= row.time_ns)
            ++next;
        if (next == 0 || row.time_ns - sent[next - 1].first > fresh || row.cwnd == 0)
            continue;
        const TcpSample &s = *sent[next - 1].second;
        const double cwnd = static_cast<double>(row.cwnd * row.mss);
        ++a.rows;
        const bool limited = row.congestion_state == 0 && row.pipe() + 1 >= row.cwnd;
        a.limited += limited ? 1 : 0;
        a.limited_estimated += limited && s.cwnd ? 1 : 0;
        below += cwnd < static_cast<double>(s.cwnd_low) ? 1 : 0;
        if (s.cwnd_high) {
            ++high_known;
            above += cwnd > static_cast<double>(*s.cwnd_high) ? 1 : 0;
            widths.push_back(static_cast<double>(*s.cwnd_high - s.cwnd_low) / cwnd);
        }
        if (!s.cwnd)
            continue;
        ++a.estimated;
        errors.push_back(std::abs(static_cast<double>(*s.cwnd) - cwnd) / cwnd);
        std::uint64_t flight = 0;
        for (std::size_t i = next; i-- > 0 && row.time_ns - sent[i].first <= fresh;)
            flight = std::max(flight, sent[i].second->flight_at_tap);
        naive.push_back(std::abs(static_cast<double>(flight) - cwnd) / cwnd);
    }
    const auto all = static_cast<double>(std::max<std::size_t>(a.rows, 1));
    a.below_low = static_cast<double>(below) / all;
    a.above_high = static_cast<double>(above) / all;
    a.high_known = static_cast<double>(high_known) / all;
    a.median = quantile(errors, 0.5);
    a.p90 = quantile(errors, 0.9);
    a.naive_median = quantile(naive, 0.5);
    a.naive_p90 = quantile(naive, 0.9);
    a.width_median = quantile(widths, 0.5);
    return a;
}

} // namespace iscsiscope::test
