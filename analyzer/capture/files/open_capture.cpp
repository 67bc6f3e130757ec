// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/capture/files/open_capture.h"

#include "analyzer/capture/bytes/unpacking_source.h"
#include "analyzer/capture/files/file_source.h"
#include "analyzer/capture/files/pcap_file.h"
#include "analyzer/capture/files/pcapng_file.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

namespace iscsiscope {

namespace {

using Start = std::span<const std::byte>;

// A source whose first bytes can be inspected by start() and are still returned by read().
class PeekedSource final : public ByteSource {
public:
    explicit PeekedSource(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {
        while (size_ < start_.size()) {
            const std::size_t count = source_->read(start_.data() + size_, start_.size() - size_);
            if (count == 0)
                break;
            size_ += count;
        }
    }
    Start start() const { return {start_.data(), size_}; }

    std::size_t read(std::byte *to, std::size_t room) override {
        const std::size_t count = std::min(room, size_ - given_);
        if (count == 0)
            return source_->read(to, room);
        std::memcpy(to, start_.data() + given_, count);
        given_ += count;
        return count;
    }
    End end() const override { return source_->end(); }
    UnpackBound bound_reached() const override { return source_->bound_reached(); }
    std::uint64_t file_bytes_read() const override { return source_->file_bytes_read(); }
    std::optional<std::uint64_t> file_size() const override { return source_->file_size(); }

private:
    std::array<std::byte, 16> start_{};
    std::size_t size_ = 0;
    std::size_t given_ = 0;
    std::unique_ptr<ByteSource> source_;
};

bool begins_with(Start start, std::string_view magic) {
    return start.size() >= magic.size() && std::memcmp(start.data(), magic.data(), magic.size()) == 0;
}

// RFC 8878 section 3.1: the magic number of a Zstandard frame, or of a skippable frame (0x184d2a5?).
bool is_zstd(Start start) {
    return begins_with(start, "\x28\xb5\x2f\xfd") ||
           (start.size() >= 4 && (start[0] & std::byte{0xf0}) == std::byte{0x50} &&
            std::memcmp(start.data() + 1, "\x2a\x4d\x18", 3) == 0);
}

// Returns a guess at the type of a file that is not a capture, for the error message.
std::string_view looks_like(Start start) {
    using namespace std::string_view_literals;
    static constexpr std::pair<std::string_view, std::string_view> magics[] = {
        {"\xfd"
         "7zXZ"sv,
         "xz data (unpack it first)"},
        {"BZh"sv, "bzip2 data (unpack it first)"},
        {"\x04\x22\x4d\x18"sv, "lz4 data (unpack it first)"},
        {"7z\xbc\xaf"sv, "a 7-Zip archive (unpack it first)"},
        {"PK\x03\x04"sv, "a zip archive (unpack it first)"},
        {"snoop\0\0\0"sv, "a snoop capture (convert it with editcap)"},
        {"XCP\0"sv, "a NetXRay or Windows Sniffer capture (convert it with editcap)"},
        {"TRSNIFF data"sv, "a Sniffer capture (convert it with editcap)"},
        {"GMBU"sv, "a Microsoft Network Monitor capture (convert it with editcap)"},
        {"\x7f"
         "ELF"sv,
         "a program"},
        {"SQLite format 3"sv, "an SQLite database"},
    };
    for (const auto &[magic, name] : magics)
        if (begins_with(start, magic))
            return name;
    const bool is_text = std::all_of(start.begin(), start.end(), [](std::byte b) {
        const auto c = std::to_integer<unsigned>(b);
        return (c >= 0x20 && c != 0x7f) || (c >= '\t' && c <= '\r');
    });
    return is_text ? "text" : "something else";
}

} // namespace

Result<std::unique_ptr<CaptureReader>> open_capture(std::unique_ptr<ByteSource> file,
                                                    const std::string &shown_name, AnomalySink &sink,
                                                    const UnpackBounds &bounds) {
    auto peeked = std::make_unique<PeekedSource>(std::move(file));
    std::string compression = "none";
    if (peeked->start().empty()) {
        return Failure{shown_name + (peeked->end() == ByteSource::End::damaged
                                         ? ": cannot be read"
                                         : ": is empty, not a capture file")};
    }
    if (begins_with(peeked->start(), "\x1f\x8b")) { // RFC 1952 section 2.3.1
        compression = "gzip";
        peeked = std::make_unique<PeekedSource>(make_gzip_source(std::move(peeked), bounds));
    } else if (is_zstd(peeked->start())) {
        compression = "zstd";
        peeked = std::make_unique<PeekedSource>(make_zstd_source(std::move(peeked), bounds));
    }
    if (peeked->bound_reached() != UnpackBound::none)
        return Failure{shown_name +
                       ": the unpacking of its begin takes too long; --unpack-time raises the bound"};
    const Start start = peeked->start();
    const bool pcap = is_pcap(start);
    if (!pcap && !is_pcapng(start)) {
        const std::string inside = compression == "none" ? "" : compression + " data in which there is ";
        return Failure{shown_name + ": is not a pcap or pcapng capture; it looks like " + inside +
                       (start.empty() ? "nothing" : std::string(looks_like(start)))};
    }
    InputBuffer buffer(std::move(peeked));
    if (pcap)
        return PcapFile::open(std::move(buffer), shown_name, compression, sink);
    return PcapngFile::open(std::move(buffer), shown_name, compression, sink);
}

Result<std::unique_ptr<CaptureReader>> CaptureReader::open(const std::string &path, AnomalySink &sink,
                                                           const UnpackBounds &bounds) {
    auto source = FileSource::open(path);
    if (!source.ok())
        return std::move(source.failure());
    return open_capture(std::move(source.value()), path == "-" ? "standard input" : path, sink, bounds);
}

} // namespace iscsiscope
