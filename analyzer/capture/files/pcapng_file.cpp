// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/capture/files/pcapng_file.h"

#include "analyzer/capture/files/pcapng_block.h"

#include <cstring>

namespace iscsiscope {

namespace {

constexpr std::uint32_t smallest_block = 12; // type, length, repeated length
constexpr std::uint32_t smallest_section_header = 28;
// A longer block is skipped if may_be_long() allows it for its type, else it is taken for damage.
constexpr std::uint32_t largest_whole_block = max_captured_length + (1U << 20);

bool is_known(std::uint32_t type) {
    switch (type) {
    case pcapng::section_header:
    case pcapng::interface_description:
    case pcapng::obsolete_packet:
    case pcapng::simple_packet:
    case pcapng::interface_statistics:
    case pcapng::enhanced_packet:
        return true;
    default:
        return false;
    }
}

// True for Custom Blocks and types of future versions. A long block of another type is random bytes.
bool may_be_long(std::uint32_t type) {
    return !is_known(type) && (type < 0x100 || type == 0x00000bad || type == 0x40000bad);
}

bool is_length(std::uint32_t length) {
    return length >= smallest_block && length <= largest_whole_block && length % 4 == 0;
}

// Returns whether a section's byte order differs from the host's; empty if its byte-order magic is wrong.
std::optional<bool> is_swapped(const std::byte *section) {
    const auto magic = load_native<std::uint32_t>(section + 8);
    if (magic == pcapng::byte_order_magic)
        return false;
    if (magic == swap_bytes(pcapng::byte_order_magic))
        return true;
    return std::nullopt;
}

// Returns the length of the block whose head is plausible; 0 if it is not.
std::uint32_t plausible_length(const std::byte *start, bool swapped) {
    if (load_native<std::uint32_t>(start) == pcapng::section_header) {
        const auto section_swapped = is_swapped(start);
        if (!section_swapped)
            return 0;
        swapped = *section_swapped;
    }
    const auto type = load_file<std::uint32_t>(start, swapped);
    const auto length = load_file<std::uint32_t>(start + 4, swapped);
    return (is_known(type) || type == pcapng::name_resolution) && is_length(length) ? length : 0;
}

} // namespace

bool is_pcapng(std::span<const std::byte> start) {
    return start.size() >= smallest_block &&
           load_native<std::uint32_t>(start.data()) == pcapng::section_header && is_swapped(start.data());
}

Result<std::unique_ptr<CaptureReader>> PcapngFile::open(InputBuffer &&buffer, const std::string &shown_name,
                                                        const std::string &compression, AnomalySink &sink) {
    std::unique_ptr<PcapngFile> file(new PcapngFile(std::move(buffer), sink));
    file->content_.tally().info().format = "pcapng";
    file->content_.tally().info().compression = compression;
    const std::byte *section = file->buffer_.need(smallest_section_header);
    if (section == nullptr)
        return Failure{shown_name + ": a pcapng file that was cut inside its section header"};
    const bool swapped = is_swapped(section).value_or(false);
    const auto major = load_file<std::uint16_t>(section + 12, swapped);
    if (major != 1) {
        return Failure{shown_name + ": a pcapng file of version " + std::to_string(major) +
                       ", of which only 1 is known"};
    }
    return std::unique_ptr<CaptureReader>(std::move(file));
}

bool PcapngFile::next(Frame &frame) {
    for (;;) {
        // Fast path for regular Enhanced Packet Blocks; read_block() handles every other block.
        if (const std::byte *head = buffer_.need(smallest_block); head != nullptr) [[likely]] {
            const std::uint32_t length = content_.u32(head + 4);
            if (content_.u32(head) == pcapng::enhanced_packet && is_length(length)) [[likely]] {
                const std::byte *block = buffer_.need(length);
                if (block != nullptr && content_.u32(block + length - 4) == length) [[likely]] {
                    buffer_.consume(length);
                    if (content_.enhanced_packet(block, length, frame)) [[likely]]
                        return true;
                    continue;
                }
            }
        }
        const Block block = read_block(frame);
        if (block != Block::no_frame)
            return block == Block::frame;
    }
}

bool PcapngFile::has_next() const {
    const std::span<const std::byte> rest = buffer_.rest();
    if (ended_ || rest.size() < smallest_block)
        return false;
    const std::uint32_t type = content_.u32(rest.data()), length = content_.u32(rest.data() + 4);
    const bool packet =
        type == pcapng::enhanced_packet || type == pcapng::simple_packet || type == pcapng::obsolete_packet;
    return packet && is_length(length) && length <= rest.size();
}

PcapngFile::Block PcapngFile::read_block(Frame &frame) {
    const std::byte *head = ended_ ? nullptr : buffer_.need(smallest_block);
    if (head == nullptr)
        return end_of_blocks();
    if (load_native<std::uint32_t>(head) == pcapng::section_header) {
        const auto swapped = is_swapped(head);
        if (!swapped)
            return resume();
        content_.set_swapped(*swapped);
    }
    const std::uint32_t type = content_.u32(head);
    const std::uint32_t length = content_.u32(head + 4);
    if (!is_length(length))
        return may_be_long(type) ? long_block(length) : resume();
    const std::byte *block = buffer_.need(length);
    if (block == nullptr) // what is left of the file is in the buffer
        return hides_block() ? resume() : end_of_blocks();
    if (content_.u32(block + length - 4) != length)
        return resume();
    buffer_.consume(length);
    return content_.decode(block, type, length, frame) ? Block::frame : Block::no_frame;
}

// True if a plausible block lies within what is left of the file, behind the head of the block that begins
// there.
bool PcapngFile::hides_block() const {
    const std::span<const std::byte> rest = buffer_.rest();
    for (std::size_t at = 4; at + smallest_block <= rest.size(); at += 4)
        if (is_plausible(rest.subspan(at)))
            return true;
    return false;
}

// Skips a block that is longer than largest_whole_block.
PcapngFile::Block PcapngFile::long_block(std::uint32_t length) {
    if (length <= largest_whole_block || length % 4 != 0 || leads_beyond_end(length))
        return resume();
    const std::byte *trailer = buffer_.skip(length - 4) ? buffer_.need(4) : nullptr;
    if (trailer == nullptr) { // what it held, or hid, has been skipped
        content_.tally().lost(AnomalyKind::file_damaged);
        ended_ = true;
        return Block::end;
    }
    if (content_.u32(trailer) != length)
        return resume();
    buffer_.consume(4);
    return Block::no_frame;
}

// Searches for the next plausible block behind damage: blocks begin at multiples of four bytes and repeat
// their length at their end.
PcapngFile::Block PcapngFile::resume() {
    content_.tally().lost(AnomalyKind::file_damaged);
    do {
        buffer_.consume(4);
        const std::byte *start = buffer_.need(smallest_block);
        if (start == nullptr) {
            ended_ = true;
            return Block::end;
        }
        if (plausible_block(start))
            return Block::no_frame;
    } while (true);
}

bool PcapngFile::plausible_block(const std::byte *start) {
    const std::uint32_t length = plausible_length(start, content_.swapped());
    return length != 0 && buffer_.need(length) != nullptr && is_plausible(buffer_.rest());
}

bool PcapngFile::is_plausible(std::span<const std::byte> bytes) const {
    const std::uint32_t length = plausible_length(bytes.data(), content_.swapped());
    return length != 0 && length <= bytes.size() &&
           std::memcmp(bytes.data() + 4, bytes.data() + length - 4, 4) == 0;
}

// True if the file is not compressed and is known to end before a block of this length does.
bool PcapngFile::leads_beyond_end(std::uint32_t length) const {
    const std::optional<std::uint64_t> size = file_size();
    if (!size || info().compression != "none")
        return false;
    const std::uint64_t read = file_bytes_read();
    return *size >= read && length > *size - read + buffer_.available();
}

PcapngFile::Block PcapngFile::end_of_blocks() {
    if (!ended_) {
        ended_ = true;
        content_.tally().end(buffer_.source(), buffer_.available() != 0);
    }
    return Block::end;
}

} // namespace iscsiscope
