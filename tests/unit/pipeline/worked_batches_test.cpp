// SPDX-License-Identifier: GPL-2.0-or-later
// Segments in batches, read and worked off when asked for or in other threads, are a short way
// (docs/short-ways.md): the same segments, bytes and anomalies, in the same order, as those of the decoder
// frame by frame.
#include "catch.h"

#include "analyzer/capture/files/memory_source.h"
#include "analyzer/capture/files/open_capture.h"
#include "analyzer/pipeline/worked_batches.h"
#include "files.h"
#include "packets.h"
#include "tests/support/bundle.h"

#include <fmt/format.h>
#include <random>
#include <stdexcept>

using namespace capture_test;
using namespace iscsiscope;
namespace {

// All that a consumer sees, a line for each segment and anomaly.
struct Seen {
    std::vector<std::string> lines;

    void add(const Anomaly &a) {
        lines.push_back(fmt::format("anomaly {} frame {} {}", name(a.kind), a.frame.value_or(0), a.detail));
    }
    void add(const Segment &s) {
        std::string line =
            fmt::format("{} {} {} {} {} {} {} {} {} {} {} {}:", s.frame, s.time.time_since_epoch().count(),
                        to_text(s.source), to_text(s.destination), s.sequence, s.acknowledgment, s.window,
                        s.flags, s.options.timestamp_value, s.payload_length, s.has_ip_id, s.ip_id);
        std::size_t hash = 0;
        for (const auto part : {s.header, s.payload})
            for (const std::byte b : part)
                hash = hash * 31 + std::to_integer<std::size_t>(b) + 1;
        lines.push_back(line + fmt::format(" {} {} {}", s.header.size(), s.payload.size(), hash));
    }
    void add(const Placement &at) {
        lines.push_back(fmt::format("stream {} slot {} side {} {}", at.stream.number, at.slot,
                                    static_cast<int>(at.side), at.opens));
    }
    void add(const Closing &c) {
        lines.push_back(fmt::format("closed {} {} {}", c.slot, static_cast<int>(c.reason), c.frame));
    }
    void add(const SegmentBatch &batch) {
        batch.each([&](const Anomaly &a) { add(a); }, [&](const Closing &c) { add(c); },
                   [&](const Segment &s, const Placement &at) {
                       add(s);
                       add(at);
                   });
    }
    void add(const Batch &batch) {
        auto anomaly = batch.anomalies.begin();
        const auto anomalies = [&](std::size_t before) {
            for (; anomaly != batch.anomalies.end() && anomaly->before <= before; ++anomaly)
                add(anomaly->anomaly);
        };
        for (std::size_t w = 0; w < batch.works.size(); ++w) {
            anomalies(w);
            const Work &work = batch.works[w];
            if (work.closing != nullptr) {
                add(*work.closing);
            } else {
                add(*work.segment);
                add(*work.at);
            }
        }
        anomalies(batch.works.size());
    }
};

struct Direct final : AnomalySink {
    Seen seen;
    void on_anomaly(const Anomaly &a) override { seen.add(a); }
};

// So that connections are closed in the midst of a batch.
const ConnectionLimits few{.max_connections = 3};

using Open = std::function<std::unique_ptr<CaptureReader>(AnomalySink &)>;

Seen frame_by_frame(const Open &open) {
    Direct direct;
    const auto reader = open(direct);
    FrameDecoder decoder(direct);
    ConnectionDirectory directory(few);
    Frame frame;
    Segment segment;
    while (reader->next(frame)) {
        if (!decoder.decode(frame, segment))
            continue;
        const Placement at = directory.place(segment);
        for (const Closing &c : directory.closings())
            direct.seen.add(c);
        direct.seen.add(segment);
        direct.seen.add(at);
    }
    decoder.finish();
    return direct.seen;
}

Seen in_batches(const Open &open, std::size_t frames) {
    AnomalyLog log;
    const auto reader = open(log);
    ConnectionDirectory directory(few);
    Intake intake(directory, {});
    SegmentReader segments(*reader, log, nullptr, frames, intake);
    Seen seen;
    SegmentBatch batch;
    do {
        segments.fill(batch);
        seen.add(batch);
    } while (!batch.last);
    return seen;
}

constexpr std::size_t frames_in_batch = 100;

// What works batches off, and hands nothing on.
struct Works {
    explicit Works(int threads) : works(nobody, {}, 1000, static_cast<std::size_t>(threads)) {}
    RecordTables nobody;
    BatchWorks works;
};

// From a reader to batches that are worked off.
struct Chain {
    Chain(CaptureReader &reader, AnomalyLog &log, int threads)
        : segments(reader, log, nullptr, frames_in_batch, intake), to(threads),
          batches(segments, to.works, threads) {}

    ConnectionDirectory directory{few};
    Intake intake{directory, {}};
    SegmentReader segments;
    Works to;
    WorkedBatches batches;
};

Seen worked(const Open &open, int threads) {
    AnomalyLog log;
    const auto reader = open(log);
    Chain chain(*reader, log, threads);
    Seen seen;
    for (;;) {
        const Batch &batch = chain.batches.next();
        seen.add(batch);
        if (batch.segments.last)
            return seen;
    }
}

void check_same(const Open &open) {
    const Seen plain = frame_by_frame(open);
    for (const std::size_t frames : {std::size_t{1}, std::size_t{7}, frames_in_batch})
        CHECK(in_batches(open, frames).lines == plain.lines);
    for (const int threads : {1, 2, 3, 8})
        CHECK(worked(open, threads).lines == plain.lines);
}

Open from_memory(const Bytes &image, std::size_t chunk) {
    return [&image, chunk](AnomalySink &sink) {
        return std::move(open_capture(std::make_unique<MemorySource>(image, chunk), "image", sink).value());
    };
}

// Segments of random lengths, whole datagrams in fragments, frames that are cut, malformed or no TCP, and
// records that are damaged.
Bytes random_image(std::mt19937 &random, int frames) {
    const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
    const Order order = Order::little;
    Bytes image = section(order) + interface(order, 1);
    std::vector<Bytes> waiting;
    for (int i = 0; i < frames; ++i) {
        Tcp t;
        t.sequence = static_cast<std::uint32_t>(random());
        t.payload = pattern(below(4) == 0 ? below(60'000) : below(1500), static_cast<unsigned>(i));
        Bytes frame;
        std::optional<std::uint32_t> original;
        if (!waiting.empty()) {
            frame = std::move(waiting.back());
            waiting.pop_back();
        } else if (below(12) == 0) {
            const Bytes datagram = tcp(t);
            const std::size_t at = std::min<std::size_t>(datagram.size(), 8 * (3 + below(100)));
            Ipv4 first, second;
            first.id = second.id = static_cast<std::uint16_t>(i);
            first.fragment = 0x2000;
            second.fragment = static_cast<std::uint16_t>(at / 8);
            if (at < datagram.size() && below(5) != 0) // else never completed
                waiting.push_back(ethernet(0x0800, ipv4(slice(datagram, at, datagram.size()), second)));
            frame = ethernet(0x0800, ipv4(slice(datagram, 0, at), first));
        } else if (below(20) == 0) {
            frame = ethernet(0x0800, ipv4(udp(53, pattern(30))));
        } else {
            Ipv4 ip;
            ip.total_length = below(30) == 0 ? 5 : -1;
            frame = ethernet(below(10) == 0 ? 0x86dd : 0x0800, ipv4(tcp(t), ip));
        }
        if (below(6) == 0) {
            original = static_cast<std::uint32_t>(frame.size());
            frame.resize(std::min<std::size_t>(frame.size(), 20 + below(200)));
        }
        image = std::move(image) + packet(order, 0, 1'000'000U + static_cast<unsigned>(i), frame, original);
        if (below(300) == 0) {
            Bytes damaged = block(order, 6, pattern(40));
            damaged[4] = std::byte{0x77};
            image = std::move(image) + damaged;
        }
    }
    image.resize(image.size() - below(20));
    return image;
}

// Frames from memory that is its own, of which reading the n-th fails.
class Failing final : public CaptureReader {
public:
    explicit Failing(FrameNumber at) : at_(at) {}
    bool next(Frame &f) override {
        if (++info_.frames == at_)
            throw std::runtime_error("no more");
        f.number = info_.frames;
        f.link_type = 1;
        f.original_length = static_cast<std::uint32_t>(bytes_.size());
        f.bytes = bytes_;
        return true;
    }
    bool has_next() const override { return true; }
    FrameHold hold() const override { return {}; }
    const CaptureInfo &info() const override { return info_; }
    std::uint64_t file_bytes_read() const override { return 0; }
    std::optional<std::uint64_t> file_size() const override { return 0; }

private:
    Bytes bytes_ = ethernet(0x0800, ipv4(tcp()));
    CaptureInfo info_;
    FrameNumber at_;
};

} // namespace

TEST_CASE("Batches hold what the frames hold one by one, whichever thread fills them") {
    const unsigned seed = GENERATE(1U, 2U, 3U, 4U, 5U, 6U);
    std::mt19937 random(seed);
    const Bytes image = random_image(random, 600);
    check_same(from_memory(image, GENERATE(std::size_t{SIZE_MAX}, std::size_t{1000})));
}

TEST_CASE("Batches of the bundled captures hold what their frames hold one by one") {
    for (const auto &path : test::bundled_captures()) {
        INFO(path);
        check_same(
            [&](AnomalySink &sink) { return std::move(CaptureReader::open(path.string(), sink).value()); });
    }
}

TEST_CASE("What fails while a batch is read is thrown behind the batches before it") {
    const int threads = GENERATE(1, 2, 3, 8);
    for (const FrameNumber at : {FrameNumber{1}, FrameNumber{500}, FrameNumber{10'000}}) {
        Failing reader(at);
        AnomalyLog log;
        Chain chain(reader, log, threads);
        FrameNumber read = 0;
        const auto take_all = [&] {
            for (;;)
                read = chain.batches.next().segments.frames_read;
        };
        CHECK_THROWS_WITH(take_all(), "no more");
        CHECK(read == (at - 1) / frames_in_batch * frames_in_batch);
    }
}

TEST_CASE("Batches can be left at any time, and are stopped behind what was read") {
    const int threads = GENERATE(1, 2, 3, 8);
    for (const int taken : {0, 1, 3, 40}) {
        Failing endless(0);
        AnomalyLog log;
        Chain chain(endless, log, threads);
        for (int i = 0; i < taken; ++i)
            CHECK_FALSE(chain.batches.next().segments.last);
    }
    Failing endless(0);
    AnomalyLog log;
    Chain chain(endless, log, threads);
    FrameNumber given = 0;
    for (int i = 0;; ++i) {
        const Batch &batch = chain.batches.next();
        given += batch.works.size();
        CHECK(batch.segments.frames_read >= given); // some may wait for others that come late
        CHECK(batch.segments.frames_read - given <= SegmentOrder::ahead);
        if (batch.segments.last) {
            CHECK(batch.segments.frames_read == given);
            break;
        }
        if (i == 5)
            chain.segments.stop();
    }
    CHECK(endless.info().frames == given);
}
