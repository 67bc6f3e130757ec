// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/capture/files/pcap_file.h"

#include "analyzer/base/byte_order.h"

#include <array>
#include <cstring>

namespace iscsiscope {

namespace {

constexpr std::uint32_t magic_microseconds = 0xa1b2c3d4;
constexpr std::uint32_t magic_nanoseconds = 0xa1b23c4d;
constexpr std::uint32_t magic_modified = 0xa1b2cd34; // Kuznetzov's format: record headers 8 bytes longer
constexpr std::size_t file_header_size = 24;

bool is_magic(std::uint32_t magic) {
    return magic == magic_microseconds || magic == magic_nanoseconds || magic == magic_modified;
}

} // namespace

bool is_pcap(std::span<const std::byte> start) {
    if (start.size() < 4)
        return false;
    const auto magic = load_native<std::uint32_t>(start.data());
    return is_magic(magic) || is_magic(swap_bytes(magic));
}

Result<std::unique_ptr<CaptureReader>> PcapFile::open(InputBuffer &&buffer, const std::string &shown_name,
                                                      const std::string &compression, AnomalySink &sink) {
    std::unique_ptr<PcapFile> file(new PcapFile(std::move(buffer), sink));
    if (Status failed = file->read_header(shown_name, compression))
        return std::move(*failed);
    return std::unique_ptr<CaptureReader>(std::move(file));
}

Status PcapFile::read_header(const std::string &shown_name, const std::string &compression) {
    const std::byte *header = buffer_.need(file_header_size);
    if (header == nullptr)
        return Failure{shown_name + ": a pcap file that was cut inside its file header"};
    swapped_ = !is_magic(load_native<std::uint32_t>(header));
    const auto magic = load_file<std::uint32_t>(header, swapped_);
    const auto major = load_file<std::uint16_t>(header + 4, swapped_);
    const auto minor = load_file<std::uint16_t>(header + 6, swapped_);
    const auto link_field = load_file<std::uint32_t>(header + 20, swapped_);
    if (major != 2 && !(major == 543 && minor == 0)) {
        return Failure{shown_name + ": a pcap file of version " + std::to_string(major) + "." +
                       std::to_string(minor) + ", of which only 2 is known"};
    }
    // Early writers put the original length first: all before version 2.3, some of 2.3, and DG/UX (543.0).
    if (major == 543 || minor < 3)
        length_order_ = LengthOrder::captured_last;
    else if (minor == 3)
        length_order_ = LengthOrder::smaller_is_captured;
    if (magic == magic_nanoseconds)
        fraction_ns_ = 1;
    if (magic == magic_modified)
        record_header_size_ = 24;
    link_type_ = link_field & 0x03ffffff; // the upper bits give the length of the frame check sequence
    CaptureInfo &info = tally_.info();
    info.format = "pcap";
    info.compression = compression;
    info.time_precision_digits = fraction_ns_ == 1 ? 9 : 6;
    info.interfaces.push_back({.link_type = link_type_,
                               .snap_length = load_file<std::uint32_t>(header + 16, swapped_),
                               .name = {},
                               .dropped = {}});
    buffer_.consume(file_header_size);
    return {};
}

bool PcapFile::next(Frame &frame) {
    const std::byte *record = buffer_.need(record_header_size_);
    if (record == nullptr || ended_) [[unlikely]]
        return end_of_records();
    std::array<std::uint32_t, 4> fields;
    std::memcpy(fields.data(), record, sizeof fields);
    if (swapped_) [[unlikely]]
        for (std::uint32_t &f : fields)
            f = swap_bytes(f);
    const std::int64_t seconds = fields[0], fraction = fields[1];
    std::uint32_t captured = fields[2], original = fields[3];
    if (length_order_ != LengthOrder::captured_first) [[unlikely]]
        put_lengths_in_order(captured, original);
    if (captured > max_captured_length) [[unlikely]] {
        ended_ = true; // pcap has no marks by which a later record could be found with certainty
        tally_.lost(AnomalyKind::file_damaged);
        return false;
    }
    const std::size_t size = std::size_t{record_header_size_} + captured;
    record = buffer_.need(size);
    if (record == nullptr) [[unlikely]]
        return end_of_records();
    buffer_.consume(size);
    // At most (2^32 - 1) * (10^9 + 10^3) ns, which is below max_time_ns.
    tally_.deliver(frame, time_from_ns(seconds * 1'000'000'000 + fraction * fraction_ns_), link_type_,
                   original, {record + record_header_size_, captured});
    return true;
}

bool PcapFile::has_next() const {
    const std::span<const std::byte> rest = buffer_.rest();
    if (ended_ || rest.size() < record_header_size_)
        return false;
    auto captured = load_file<std::uint32_t>(rest.data() + 8, swapped_);
    auto original = load_file<std::uint32_t>(rest.data() + 12, swapped_);
    if (length_order_ != LengthOrder::captured_first)
        put_lengths_in_order(captured, original);
    return captured <= max_captured_length && rest.size() - record_header_size_ >= captured;
}

void PcapFile::put_lengths_in_order(std::uint32_t &captured, std::uint32_t &original) const {
    if (length_order_ == LengthOrder::captured_last || captured > original)
        std::swap(captured, original);
}

bool PcapFile::end_of_records() {
    if (!ended_) {
        ended_ = true;
        tally_.end(buffer_.source(), buffer_.available() != 0);
    }
    return false;
}

} // namespace iscsiscope
