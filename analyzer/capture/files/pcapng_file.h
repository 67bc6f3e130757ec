// SPDX-License-Identifier: GPL-2.0-or-later
// PcapngFile: reads the pcapng file format (draft-ietf-opsawg-pcapng). Behind a damaged block it searches
// for the next plausible one and continues there, with an anomaly. A block whose length leads beyond the end
// of the file is damaged if a plausible block lies within it, otherwise the file is cut short in it.
#pragma once

#include "analyzer/base/byte_order.h"
#include "analyzer/capture/files/frame_tally.h"
#include "analyzer/capture/files/input_buffer.h"
#include "analyzer/capture/files/time_unit.h"

namespace iscsiscope {

// True if these first bytes of a file are those of a pcapng file.
bool is_pcapng(std::span<const std::byte> start);

class PcapngFile final : public CaptureReader {
public:
    // Fails if the first section header is incomplete or of an unknown version.
    static Result<std::unique_ptr<CaptureReader>> open(InputBuffer &&, const std::string &shown_name,
                                                       const std::string &compression, AnomalySink &);

    bool next(Frame &) override;
    bool has_next() const override;
    FrameHold hold() const override { return buffer_.hold(); }
    const CaptureInfo &info() const override { return tally_.info(); }
    std::uint64_t file_bytes_read() const override { return buffer_.source().file_bytes_read(); }
    std::optional<std::uint64_t> file_size() const override { return buffer_.source().file_size(); }

private:
    // What the packets of the current section need of one of its interfaces.
    struct Interface {
        std::uint32_t link_type;
        std::uint32_t snap_length;
        TimeUnit unit;
        std::size_t in_info;         // index in CaptureInfo::interfaces
        bool has_statistics = false; // an Interface Statistics Block replaces the packets' drop counts
    };
    // Outcome of one block: a frame was filled, none was, or the file has ended.
    enum class Block : std::uint8_t { frame, no_frame, end };

    PcapngFile(InputBuffer &&buffer, AnomalySink &sink) : buffer_(std::move(buffer)), tally_(sink) {}
    std::uint16_t u16(const std::byte *at) const { return load_file<std::uint16_t>(at, swapped_); }
    std::uint32_t u32(const std::byte *at) const { return load_file<std::uint32_t>(at, swapped_); }

    // Handle a block whose two length fields agree; `block` points to its type field. The functions that
    // return bool return false if the block's content is impossible.
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
    bool is_plausible(std::span<const std::byte>) const;
    bool leads_beyond_end(std::uint32_t length) const;
    bool hides_block() const;
    Block end_of_blocks();

    InputBuffer buffer_;
    FrameTally tally_;
    bool swapped_ = false;
    bool ended_ = false;
    bool has_comment_ = false;
    std::vector<Interface> interfaces_; // of the current section
};

} // namespace iscsiscope
