// SPDX-License-Identifier: GPL-2.0-or-later
// PcapngFile: reads the pcapng file format (draft-ietf-opsawg-pcapng): it walks its blocks and checks their
// lengths; PcapngContent decodes what is in them. Behind a damaged block it searches for the next plausible
// one and continues there, with an anomaly. A block whose length leads beyond the end of the file is damaged
// if a plausible block lies within it, otherwise the file is cut short in it.
#pragma once

#include "analyzer/capture/files/capture_reader.h"
#include "analyzer/capture/files/input_buffer.h"
#include "analyzer/capture/files/pcapng_content.h"

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
    const CaptureInfo &info() const override { return content_.info(); }
    std::uint64_t file_bytes_read() const override { return buffer_.source().file_bytes_read(); }
    std::optional<std::uint64_t> file_size() const override { return buffer_.source().file_size(); }

private:
    // Outcome of one block: a frame was filled, none was, or the file has ended.
    enum class Block : std::uint8_t { frame, no_frame, end };

    PcapngFile(InputBuffer &&buffer, AnomalySink &sink) : buffer_(std::move(buffer)), content_(sink) {}

    Block read_block(Frame &);
    Block long_block(std::uint32_t length);
    Block resume();
    bool plausible_block(const std::byte *start);
    bool is_plausible(std::span<const std::byte>) const;
    bool leads_beyond_end(std::uint32_t length) const;
    bool hides_block() const;
    Block end_of_blocks();

    InputBuffer buffer_;
    PcapngContent content_;
    bool ended_ = false;
};

} // namespace iscsiscope
