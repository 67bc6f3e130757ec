// SPDX-License-Identifier: GPL-2.0-or-later
// A whole capture file as the reader meets it, packed or plain, and each of its frames decoded.
#include "analyzer/capture/decode/frame_decoder.h"
#include "analyzer/capture/files/memory_source.h"
#include "analyzer/capture/files/open_capture.h"

#include <cstdlib>

using namespace iscsiscope;

namespace {

void require(bool holds) {
    if (!holds)
        std::abort();
}

class Count : public AnomalySink {
public:
    void on_anomaly(const Anomaly &anomaly) override {
        require(!name(anomaly.kind).empty());
        ++anomalies;
    }
    std::uint64_t anomalies = 0;
};

// All bytes that are given out must be readable: AddressSanitizer looks.
unsigned touch(std::span<const std::byte> bytes) {
    unsigned sum = 0;
    for (const std::byte b : bytes)
        sum += static_cast<unsigned>(b);
    return sum;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    if (size < 1)
        return 0;
    // The first byte says in what pieces the file comes.
    const std::size_t chunk = data[0] == 0 ? SIZE_MAX : data[0];
    const std::span<const std::byte> image(reinterpret_cast<const std::byte *>(data + 1), size - 1);
    Count count;
    unsigned sum = 0;
    const auto opened = open_capture(std::make_unique<MemorySource>(image, chunk), "image", count);
    if (!opened.ok())
        return 0;
    CaptureReader &reader = *opened.value();
    FrameDecoder decoder(count);
    Frame frame;
    Segment segment;
    std::uint64_t frames = 0;
    // Small packed files can hold frames without end.
    while (frames < 100'000 && reader.next(frame)) {
        require(frame.number == ++frames);
        require(to_ns(frame.time) < (std::int64_t{1} << 62) && to_ns(frame.time) > -(std::int64_t{1} << 62));
        sum += touch(frame.bytes);
        if (decoder.decode(frame, segment)) {
            require(segment.payload.size() <= segment.payload_length);
            sum += touch(segment.payload);
        }
    }
    decoder.finish();
    require(reader.info().frames == frames);
    require(reader.info().complete || count.anomalies != 0);
    return sum == 0x7fffffff ? 1 : 0; // so that the reads are not optimised away
}
