// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/capture/files/pcapng_content.h"

#include "analyzer/capture/files/pcapng_block.h"

#include <algorithm>

namespace iscsiscope {

namespace {

constexpr std::size_t max_interfaces = 65536; // in all sections together; limits memory
constexpr std::size_t max_name_length = 256;
constexpr std::uint16_t drops_unknown = 0xffff;

std::string text(std::span<const std::byte> bytes) {
    std::string value(reinterpret_cast<const char *>(bytes.data()), bytes.size());
    value.erase(std::find(value.begin(), value.end(), '\0'), value.end());
    return value;
}

std::span<const std::byte> options_of(const std::byte *block, std::uint32_t from, std::uint32_t length) {
    return {block + from, length - 4 - from};
}

} // namespace

bool PcapngContent::decode(const std::byte *block, std::uint32_t type, std::uint32_t length, Frame &frame) {
    bool is_frame = false;
    bool good = false;
    switch (type) {
    case pcapng::section_header:
        good = section_header(block, length);
        break;
    case pcapng::interface_description:
        good = interface_description(block, length);
        break;
    case pcapng::interface_statistics:
        good = interface_statistics(block, length);
        break;
    case pcapng::simple_packet:
        good = is_frame = simple_packet(block, length, frame);
        break;
    case pcapng::enhanced_packet:
        good = is_frame = length >= 12 + 4 && packet(block, length, u32(block + 8), frame);
        break;
    case pcapng::obsolete_packet:
        good = is_frame = length >= 12 + 4 && packet(block, length, u16(block + 8), frame);
        if (is_frame && u16(block + 10) != drops_unknown && u16(block + 10) != 0)
            count_drops(interfaces_[u16(block + 8)], u16(block + 10));
        break;
    default: // name resolution, decryption secrets, custom blocks: ignored
        good = true;
        break;
    }
    if (!good)
        tally_.lost(AnomalyKind::file_damaged);
    return is_frame;
}

// Decodes an Enhanced Packet Block; the obsolete Packet Block differs in its interface field only.
bool PcapngContent::packet(const std::byte *block, std::uint32_t length, std::uint32_t interface_id,
                           Frame &frame) {
    constexpr std::uint32_t data_at = 28;
    if (length < data_at + 4 || interface_id >= interfaces_.size()) [[unlikely]]
        return false;
    Interface &interface = interfaces_[interface_id];
    const std::uint64_t units = (std::uint64_t{u32(block + 12)} << 32) | u32(block + 16);
    const std::uint32_t captured = u32(block + 20);
    const std::uint32_t original = u32(block + 24);
    if (captured > length - 4 - data_at || captured > max_captured_length) [[unlikely]]
        return false;
    tally_.deliver(frame, interface.unit.time(units), interface.link_type, original,
                   {block + data_at, captured});
    frame.interface = static_cast<std::uint32_t>(interface.in_info);
    const std::uint32_t options_at = data_at + ((captured + 3) & ~3U);
    if (length >= options_at + 8) [[unlikely]] { // the block has options
        pcapng::for_each_option(
            options_of(block, options_at, length), swapped_,
            [&](std::uint16_t code, std::span<const std::byte> value) {
                if (code == pcapng::option_packet_drops && value.size() == 8)
                    count_drops(interface, load_file<std::uint64_t>(value.data(), swapped_));
            });
    }
    return true;
}

// A Simple Packet Block has neither interface nor time: it belongs to the section's first interface, and it
// is given the time of the frame before.
bool PcapngContent::simple_packet(const std::byte *block, std::uint32_t length, Frame &frame) {
    constexpr std::uint32_t data_at = 12;
    if (length < data_at + 4 || interfaces_.empty())
        return false;
    const std::uint32_t original = u32(block + 8);
    const Interface &interface = interfaces_.front();
    std::uint32_t captured = std::min(original, length - 4 - data_at);
    if (interface.snap_length != 0)
        captured = std::min(captured, interface.snap_length);
    if (captured > max_captured_length)
        return false;
    tally_.deliver(frame, tally_.previous_stamp(), interface.link_type, original,
                   {block + data_at, captured});
    frame.interface = static_cast<std::uint32_t>(interface.in_info);
    return true;
}

bool PcapngContent::section_header(const std::byte *block, std::uint32_t length) {
    constexpr std::uint32_t options_at = 24;
    if (length < options_at + 4 || u16(block + 12) != 1)
        return false;
    interfaces_.clear();
    pcapng::for_each_option(options_of(block, options_at, length), swapped_,
                            [&](std::uint16_t code, std::span<const std::byte> value) {
                                if (code == pcapng::option_comment && !has_comment_) {
                                    has_comment_ = true;
                                    tally_.info().comment = text(value);
                                }
                            });
    return true;
}

bool PcapngContent::interface_description(const std::byte *block, std::uint32_t length) {
    constexpr std::uint32_t options_at = 16;
    CaptureInfo &info = tally_.info();
    if (length < options_at + 4 || info.interfaces.size() >= max_interfaces)
        return false;
    CaptureInterface shown{
        .link_type = u16(block + 8), .snap_length = u32(block + 12), .name = {}, .dropped = {}};
    std::uint8_t resolution = 6;
    std::int64_t offset_seconds = 0;
    pcapng::for_each_option(options_of(block, options_at, length), swapped_,
                            [&](std::uint16_t code, std::span<const std::byte> value) {
                                if (code == pcapng::option_interface_name)
                                    shown.name = text(value.first(std::min(value.size(), max_name_length)));
                                else if (code == pcapng::option_time_resolution && value.size() == 1)
                                    resolution = std::to_integer<std::uint8_t>(value[0]);
                                else if (code == pcapng::option_time_offset && value.size() == 8)
                                    offset_seconds = load_file<std::int64_t>(value.data(), swapped_);
                            });
    const TimeUnit unit(resolution, offset_seconds);
    info.time_precision_digits =
        info.interfaces.empty() ? unit.digits() : std::max(info.time_precision_digits, unit.digits());
    interfaces_.push_back({shown.link_type, shown.snap_length, unit, info.interfaces.size()});
    info.interfaces.push_back(std::move(shown));
    return true;
}

bool PcapngContent::interface_statistics(const std::byte *block, std::uint32_t length) {
    constexpr std::uint32_t options_at = 20;
    if (length < options_at + 4 || u32(block + 8) >= interfaces_.size())
        return false;
    Interface &interface = interfaces_[u32(block + 8)];
    std::optional<std::uint64_t> dropped;
    pcapng::for_each_option(
        options_of(block, options_at, length), swapped_,
        [&](std::uint16_t code, std::span<const std::byte> value) {
            if ((code == pcapng::option_interface_drops || code == pcapng::option_os_drops) &&
                value.size() == 8)
                dropped = dropped.value_or(0) + load_file<std::uint64_t>(value.data(), swapped_);
        });
    if (dropped) { // the counts run from the start of the capture, so that the last block is valid
        interface.has_statistics = true;
        tally_.info().interfaces[interface.in_info].dropped = dropped;
    }
    return true;
}

void PcapngContent::count_drops(Interface &interface, std::uint64_t drops) {
    if (!interface.has_statistics) {
        auto &dropped = tally_.info().interfaces[interface.in_info].dropped;
        dropped = dropped.value_or(0) + drops;
    }
}

} // namespace iscsiscope
