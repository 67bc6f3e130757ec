// SPDX-License-Identifier: GPL-2.0-or-later
#include "captures.h"

#include "analyzer/cycles/engine.h"
#include "analyzer/pipeline/sink_fan.h"
#include "tests/support/each_segment.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>

namespace iscsiscope::test {
namespace {

class Noting final : public Takes<MemberRecord, CycleRecord> {
public:
    explicit Noting(Analysed &notes) : notes_(notes) {}

    void on(const MemberRecord &r) override {
        notes_.ends[r.connection->stream] = {r.connection->initiator_end(), r.connection->target_end()};
    }
    void on(const CycleRecord &r) override { notes_.commands[r.stream] += r.command_frame ? 1 : 0; }

private:
    Analysed &notes_;
};

struct Quiet final : AnomalySink {
    void on_anomaly(const Anomaly &) override {}
};

std::vector<std::filesystem::path> captures_in(const std::filesystem::path &folder) {
    std::vector<std::filesystem::path> found;
    std::error_code error;
    for (const auto &entry : std::filesystem::directory_iterator(folder, error)) {
        const std::string name = entry.path().filename().string();
        if (name.ends_with(".pcap.zst") || name.ends_with(".pcapng.zst") || name.ends_with(".pcapng"))
            found.push_back(entry.path());
    }
    std::sort(found.begin(), found.end());
    return found;
}

} // namespace

bool LoginStripper::keeps(const Segment &s) {
    const auto key = std::minmax(s.source, s.destination);
    const auto found = logged_in_.find(key);
    if (found != logged_in_.end() && found->second)
        return true;
    if ((s.flags & tcp_syn) != 0 && found == logged_in_.end()) {
        logged_in_[key] = false;
        return false;
    }
    if (found == logged_in_.end())
        return true; // began before the capture
    // Login Response, T set, next stage full feature, status class 0.
    const auto byte = [&](std::size_t i) { return std::to_integer<unsigned>(s.payload[i]); };
    if (s.payload.size() >= 48 && byte(0) == 0x23 && (byte(1) & 0x83) == 0x83 && byte(36) == 0)
        found->second = true;
    return false;
}

Frames read_frames(const std::filesystem::path &path) {
    Frames all;
    Quiet sink;
    const std::string error = test::each_segment(path.string(), sink, [&](const Segment &s) {
        all.segments.push_back(s);
        all.payloads.emplace_back(s.payload.begin(), s.payload.end());
    });
    if (!error.empty())
        std::cerr << error << '\n';
    return all;
}

Frames shifted(const Frames &from, Duration by, std::uint16_t ports, std::uint8_t isid) {
    Frames all = from;
    for (Segment &s : all.segments) {
        s.time += by;
        Endpoint &higher = s.source.port > s.destination.port ? s.source : s.destination;
        higher.port = static_cast<std::uint16_t>(higher.port - ports);
    }
    // Login Requests and Responses name the session: another ISID (RFC 7143 sections 11.12 and 11.13).
    for (auto &payload : all.payloads)
        if (payload.size() >= 48 &&
            (payload[0] == std::byte{0x43} || payload[0] == std::byte{0x03} || payload[0] == std::byte{0x23}))
            payload[13] ^= std::byte{isid};
    return all;
}

Frames merge(const Frames &a, const Frames &b) {
    Frames all;
    std::size_t i = 0, k = 0;
    while (i < a.segments.size() || k < b.segments.size()) {
        const bool from_b =
            i == a.segments.size() || (k < b.segments.size() && b.segments[k].time < a.segments[i].time);
        const Frames &from = from_b ? b : a;
        std::size_t &at = from_b ? k : i;
        all.segments.push_back(from.segments[at]);
        all.payloads.push_back(from.payloads[at]);
        ++at;
    }
    for (std::size_t n = 0; n < all.segments.size(); ++n)
        all.segments[n].frame = n + 1;
    return all;
}

Analysed analyse(const Frames &frames, bool with_logins, SessionOptions options) {
    Analysed result;
    SessionAnalysis analysis(options);
    Noting noting(result);
    SinkFan sinks({&noting, &analysis});
    Engine engine(sinks);
    LoginStripper stripper;
    for (std::size_t i = 0; i < frames.segments.size(); ++i) {
        Segment s = frames.segments[i];
        s.payload = frames.payloads[i];
        s.header = {}; // the frame is gone
        if (with_logins || stripper.keeps(s))
            engine.feed(s);
    }
    engine.finish();
    result.figures = analysis.take();
    return result;
}

std::vector<std::filesystem::path> shared_captures() {
    const char *given = std::getenv("ISCSISCOPE_CAPTURES");
    const std::filesystem::path folder =
        given != nullptr ? std::filesystem::path(given)
                         : std::filesystem::path(ISCSISCOPE_SOURCE_DIR) / ".." / "shared" / "captures";
    auto found = captures_in(folder);
    if (found.empty())
        std::cout << "SKIPPED: no captures in " << folder.string() << " (set ISCSISCOPE_CAPTURES)\n";
    return found;
}

} // namespace iscsiscope::test
