// SPDX-License-Identifier: GPL-2.0-or-later
// Steps of the road one by one, over the frames of a capture held in memory:
//   micro_bench [Google Benchmark's options] CAPTURE
// The difference of two steps is what the later one adds.
#include "analyzer/base/crc32c/crc32c.h"
#include "analyzer/capture/decode/frame_decoder.h"
#include "analyzer/capture/files/capture_reader.h"
#include "analyzer/iscsi/framing/iscsi_engine.h"
#include "tests/unit/tcp/fed_tcp.h"

#include <benchmark/benchmark.h>

#include <cstdio>
#include <string>
#include <vector>

using namespace iscsiscope;

namespace {

class Ignore final : public AnomalySink {
public:
    void on_anomaly(const Anomaly &) override {}
};

class CountPdus final : public PduSink {
public:
    void on_iscsi(const Connection &, Side) override {}
    std::uint32_t on_header(const Connection &, const Pdu &) override { return 0; }
    void on_pdu(const Connection &, const Pdu &) override { ++pdus; }
    void on_login(const Connection &, const Login &) override {}
    void on_sync_lost(const Connection &, PduDirection, std::uint64_t) override {}
    void on_segment(const Connection &, const SegmentEvent &) override {}
    void on_close(const Connection &, CloseReason, Time, FrameNumber) override {}
    std::int64_t pdus = 0;
};

struct StoredFrames {
    std::vector<std::vector<std::byte>> bytes;
    std::vector<Frame> frames;
    std::int64_t total = 0;
};

Result<StoredFrames> load(const char *path) {
    StoredFrames stored;
    Ignore ignore;
    const auto reader = CaptureReader::open(path, ignore);
    if (!reader.ok())
        return reader.failure();
    Frame frame;
    while (reader.value()->next(frame)) {
        stored.bytes.emplace_back(frame.bytes.begin(), frame.bytes.end());
        stored.total += frame.original_length;
        frame.bytes = stored.bytes.back();
        stored.frames.push_back(frame);
    }
    return stored;
}

void report(benchmark::State &state, const StoredFrames &stored) {
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(stored.frames.size()));
    state.SetBytesProcessed(state.iterations() * stored.total);
}

void decode(benchmark::State &state, const StoredFrames &stored) {
    Ignore ignore;
    for ([[maybe_unused]] auto iteration : state) {
        FrameDecoder decoder(ignore);
        Segment segment;
        for (const Frame &frame : stored.frames)
            benchmark::DoNotOptimize(decoder.decode(frame, segment));
    }
    report(state, stored);
}

void decode_follow_and_frame(benchmark::State &state, const StoredFrames &stored) {
    Ignore ignore;
    std::int64_t pdus = 0;
    for ([[maybe_unused]] auto iteration : state) {
        FrameDecoder decoder(ignore);
        CountPdus sink;
        IscsiEngine iscsi(sink, ignore);
        FedTcp tcp(iscsi, ignore);
        Segment segment;
        for (const Frame &frame : stored.frames)
            if (decoder.decode(frame, segment))
                tcp.feed(segment);
        tcp.finish();
        pdus = sink.pdus;
    }
    report(state, stored);
    state.counters["pdus"] = static_cast<double>(pdus);
}

template <std::uint32_t (*crc)(std::uint32_t, std::span<const std::byte>)>
void digest(benchmark::State &state) {
    const std::vector<std::byte> data(static_cast<std::size_t>(state.range(0)), std::byte{0x5a});
    for ([[maybe_unused]] auto iteration : state)
        benchmark::DoNotOptimize(crc(0, data));
    state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(digest<crc32c>)->Name("crc32c")->Arg(48)->Arg(8192)->Arg(262144);
BENCHMARK(digest<crc32c_table>)->Name("crc32c_table")->Arg(48)->Arg(8192);

} // namespace

int main(int argc, char **argv) {
    benchmark::Initialize(&argc, argv);
    if (argc != 2) {
        std::fprintf(stderr, "usage: micro_bench [--benchmark_...] CAPTURE\n");
        return 2;
    }
    const Result<StoredFrames> loaded = load(argv[1]);
    if (!loaded.ok()) {
        std::fprintf(stderr, "micro_bench: %s\n", loaded.failure().message.c_str());
        return 2;
    }
    const StoredFrames &stored = loaded.value();
    benchmark::AddCustomContext("crc32c", std::string(crc32c_implementation()));
    benchmark::RegisterBenchmark(
        "decode", [&](benchmark::State &s) { decode(s, stored); });
    benchmark::RegisterBenchmark("decode, follow and frame",
                                 [&](benchmark::State &s) { decode_follow_and_frame(s, stored); });
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
