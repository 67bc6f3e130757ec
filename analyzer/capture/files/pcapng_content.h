// SPDX-License-Identifier: GPL-2.0-or-later
// PcapngContent: decodes the content of a pcapng file's blocks (draft-ietf-opsawg-pcapng section 4), of which
// PcapngFile has checked the length against its trailer. In: the blocks in file order. Out: a Frame for each
// packet, and the CaptureInfo. It keeps what packets need of the blocks before: the section's byte order and
// interfaces.
#pragma once

#include "analyzer/base/byte_order.h"
#include "analyzer/capture/files/frame_tally.h"
#include "analyzer/capture/files/time_unit.h"

#include <vector>

namespace iscsiscope {

class PcapngContent {
public:
    explicit PcapngContent(AnomalySink &sink) : tally_(sink) {} // the sink must outlive this

    // Integers at these bytes of a block, in the byte order of the section.
    std::uint16_t u16(const std::byte *at) const { return load_file<std::uint16_t>(at, swapped_); }
    std::uint32_t u32(const std::byte *at) const { return load_file<std::uint32_t>(at, swapped_); }
    // Whether the byte order of the section differs from the host's; to be set at its header, which is in it.
    bool swapped() const { return swapped_; }
    void set_swapped(bool swapped) { swapped_ = swapped; }

    // In all that follows `block` points to a block's type field. Blocks whose content is impossible are
    // reported. Returns true if the block is a packet, of which the frame has been filled.
    bool decode(const std::byte *block, std::uint32_t type, std::uint32_t length, Frame &);
    // The same for an Enhanced Packet Block.
    bool enhanced_packet(const std::byte *block, std::uint32_t length, Frame &frame) {
        if (packet(block, length, u32(block + 8), frame)) [[likely]]
            return true;
        tally_.lost(AnomalyKind::file_damaged);
        return false;
    }

    FrameTally &tally() { return tally_; }
    const CaptureInfo &info() const { return tally_.info(); }

private:
    // What the packets of the current section need of one of its interfaces.
    struct Interface {
        std::uint32_t link_type;
        std::uint32_t snap_length;
        TimeUnit unit;
        std::size_t in_info;         // index in CaptureInfo::interfaces
        bool has_statistics = false; // an Interface Statistics Block replaces the packets' drop counts
    };

    // Each returns false if the block's content is impossible.
    bool packet(const std::byte *block, std::uint32_t length, std::uint32_t interface_id, Frame &);
    bool simple_packet(const std::byte *block, std::uint32_t length, Frame &);
    bool section_header(const std::byte *block, std::uint32_t length);
    bool interface_description(const std::byte *block, std::uint32_t length);
    bool interface_statistics(const std::byte *block, std::uint32_t length);
    void count_drops(Interface &, std::uint64_t drops);

    FrameTally tally_;
    bool swapped_ = false;
    bool has_comment_ = false;          // this section has one, or one before
    std::vector<Interface> interfaces_; // of the current section
};

} // namespace iscsiscope
