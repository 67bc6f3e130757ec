// SPDX-License-Identifier: GPL-2.0-or-later
#include "files.h"

#include "analyzer/capture/files/memory_source.h"
#include "analyzer/capture/files/open_capture.h"

#include <algorithm>

using namespace iscsiscope;

namespace capture_test {

std::size_t Anomalies::count(AnomalyKind kind) const {
    return static_cast<std::size_t>(std::count_if(
        all.begin(), all.end(), [&](const Anomaly &anomaly) { return anomaly.kind == kind; }));
}

Bytes pcap_header(const PcapHeader &h) {
    return Writer(h.order).u32(h.magic).u16(2).u16(h.minor).u64(0).u32(h.snap_length).u32(h.link_type).done();
}

Bytes pcap_record(Order order, std::uint32_t seconds, std::uint32_t fraction, const Bytes &bytes,
                  std::optional<std::uint32_t> original, std::size_t extra_header) {
    return Writer(order)
        .u32(seconds)
        .u32(fraction)
        .u32(bytes.size())
        .u32(original.value_or(static_cast<std::uint32_t>(bytes.size())))
        .zeros(extra_header)
        .bytes(bytes)
        .done();
}

Bytes option(Order order, std::uint16_t code, const Bytes &value) {
    return Writer(order).u16(code).u16(value.size()).bytes(value).pad_to_4().done();
}

Bytes block(Order order, std::uint32_t type, const Bytes &body) {
    const Bytes padded = Writer().bytes(body).pad_to_4().done();
    return Writer(order).u32(type).u32(padded.size() + 12).bytes(padded).u32(padded.size() + 12).done();
}

Bytes section(Order order, const Bytes &options) {
    return block(order, 0x0a0d0d0a,
                 Writer(order).u32(0x1a2b3c4d).u16(1).u16(0).u64(~std::uint64_t{0}).bytes(options).done());
}

Bytes interface(Order order, std::uint16_t link_type, std::uint32_t snap_length, const Bytes &options) {
    return block(order, 1, Writer(order).u16(link_type).u16(0).u32(snap_length).bytes(options).done());
}

Bytes packet(Order order, std::uint32_t interface, std::uint64_t units, const Bytes &bytes,
             std::optional<std::uint32_t> original, const Bytes &options) {
    return block(order, 6,
                 Writer(order)
                     .u32(interface)
                     .u32(units >> 32U)
                     .u32(units & 0xffffffff)
                     .u32(bytes.size())
                     .u32(original.value_or(static_cast<std::uint32_t>(bytes.size())))
                     .bytes(bytes)
                     .pad_to_4()
                     .bytes(options)
                     .done());
}

Bytes operator+(Bytes left, const Bytes &right) {
    left.insert(left.end(), right.begin(), right.end());
    return left;
}

namespace {

void read_all(CaptureReader &reader, ReadFile &file) {
    Frame frame;
    while (reader.next(frame)) {
        file.frames.push_back({frame.number, to_ns(frame.time), frame.link_type, frame.original_length,
                               Bytes(frame.bytes.begin(), frame.bytes.end())});
    }
    if (reader.next(frame))
        throw std::logic_error("a frame behind the end");
    file.info = reader.info();
}

} // namespace

namespace {

class PipeSource final : public ByteSource {
public:
    explicit PipeSource(std::span<const std::byte> bytes) : bytes_(bytes, 1000) {}
    std::size_t read(std::byte *to, std::size_t room) override { return bytes_.read(to, room); }
    End end() const override { return bytes_.end(); }
    std::uint64_t file_bytes_read() const override { return bytes_.file_bytes_read(); }
    std::optional<std::uint64_t> file_size() const override { return std::nullopt; }

private:
    MemorySource bytes_;
};

ReadFile read_source(std::unique_ptr<ByteSource> source, const UnpackBounds &bounds = {}) {
    ReadFile file;
    const auto reader = open_capture(std::move(source), "image", file.anomalies, bounds);
    if (reader.ok())
        read_all(*reader.value(), file);
    else
        file.open_error = reader.failure().message;
    return file;
}

} // namespace

ReadFile read_image(const Bytes &image, std::size_t chunk, const UnpackBounds &bounds) {
    return read_source(std::make_unique<MemorySource>(image, chunk), bounds);
}

ReadFile read_pipe(const Bytes &image) {
    return read_source(std::make_unique<PipeSource>(image));
}

ReadFile read_path(const std::string &path) {
    ReadFile file;
    const auto reader = CaptureReader::open(path, file.anomalies);
    if (reader.ok())
        read_all(*reader.value(), file);
    else
        file.open_error = reader.failure().message;
    return file;
}

} // namespace capture_test
