// SPDX-License-Identifier: GPL-2.0-or-later
// PcapFile: reads the pcap file format (draft-ietf-opsawg-pcap), including two old variants: files with the
// two length fields swapped, and the "modified" format of A. Kuznetzov with longer record headers.
#pragma once

#include "analyzer/capture/files/frame_tally.h"
#include "analyzer/capture/files/input_buffer.h"

namespace iscsiscope {

// True if these first bytes of a file are those of a pcap file.
bool is_pcap(std::span<const std::byte> start);

class PcapFile final : public CaptureReader {
public:
    // Fails if the file header is incomplete or of an unknown version.
    static Result<std::unique_ptr<CaptureReader>> open(InputBuffer &&, const std::string &shown_name,
                                                       const std::string &compression, AnomalySink &);

    bool next(Frame &) override;
    bool has_next() const override;
    FrameHold hold() const override { return buffer_.hold(); }
    const CaptureInfo &info() const override { return tally_.info(); }
    std::uint64_t file_bytes_read() const override { return buffer_.source().file_bytes_read(); }
    std::optional<std::uint64_t> file_size() const override { return buffer_.source().file_size(); }

private:
    enum class LengthOrder : std::uint8_t { captured_first, captured_last, smaller_is_captured };

    PcapFile(InputBuffer &&buffer, AnomalySink &sink) : buffer_(std::move(buffer)), tally_(sink) {}
    Status read_header(const std::string &shown_name, const std::string &compression);
    bool end_of_records();
    void put_lengths_in_order(std::uint32_t &captured, std::uint32_t &original) const;

    InputBuffer buffer_;
    FrameTally tally_;
    bool swapped_ = false;
    bool ended_ = false;
    LengthOrder length_order_ = LengthOrder::captured_first;
    std::uint32_t link_type_ = 0;
    std::uint32_t record_header_size_ = 16;
    std::int64_t fraction_ns_ = 1000; // nanoseconds per unit of the fraction field
};

} // namespace iscsiscope
