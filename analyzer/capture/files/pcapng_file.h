// SPDX-License-Identifier: GPL-2.0-or-later
// The pcapng file format (draft-ietf-opsawg-pcapng).
#pragma once

#include "analyzer/capture/files/frame_tally.h"
#include "analyzer/capture/files/input_buffer.h"
#include "analyzer/capture/files/time_unit.h"

namespace iscsiscope {

class PcapngFile final : public CaptureReader {
public:
    static bool recognises(std::span<const std::byte> start);

    // Throws OpenError if the first section header is not whole or not of a known version.
    PcapngFile(InputBuffer &&, const std::string &shown_name, const std::string &compression, AnomalySink &);

    bool next(Frame &) override;
    const CaptureInfo &info() const override { return tally_.info(); }
    std::uint64_t file_bytes_read() const override { return buffer_.source().file_bytes_read(); }
    std::optional<std::uint64_t> file_size() const override { return buffer_.source().file_size(); }

private:
    // What packets need of an interface of the present section.
    struct Interface {
        std::uint32_t link_type;
        std::uint32_t snap_length;
        TimeUnit unit;
        std::size_t in_info;         // index in CaptureInfo::interfaces
        bool has_statistics = false; // an Interface Statistics Block outranks the packets' own counts
    };
    enum class Block : std::uint8_t { frame, no_frame, end };

    std::uint16_t u16(const std::byte *at) const;
    std::uint32_t u32(const std::byte *at) const;

    // A block whose two lengths agree; `block` points to its type.
    Block whole_block(const std::byte *block, std::uint32_t type, std::uint32_t length, Frame &);
    bool packet(const std::byte *block, std::uint32_t length, std::uint32_t interface_id, Frame &);
    bool simple_packet(const std::byte *block, std::uint32_t length, Frame &);
    bool section_header(const std::byte *block, std::uint32_t length);
    bool interface_description(const std::byte *block, std::uint32_t length);
    bool interface_statistics(const std::byte *block, std::uint32_t length);
    void count_drops(Interface &, std::uint64_t drops);

    Block read_block(Frame &);
    Block long_block(std::uint32_t length);
    Block resume();
    bool plausible_block(const std::byte *start);
    Block end_of_blocks();

    InputBuffer buffer_;
    FrameTally tally_;
    bool swapped_ = false;
    bool ended_ = false;
    bool has_comment_ = false;
    std::vector<Interface> interfaces_; // of the present section
};

} // namespace iscsiscope
