// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/wire/pdu_reader.h"

#include "analyzer/base/crc32c/crc32c.h"

#include <algorithm>
#include <utility>

namespace iscsiscope::testbed {

namespace {

bool digest_matches(std::span<const std::byte> covered, std::span<const std::byte> digest) {
    return crc32c(0, covered) == load_digest(digest.first<digest_size>());
}

} // namespace

// The bytes held go to the beginning of a buffer of this size.
void PduReader::grow(std::size_t size) {
    auto larger = std::make_unique_for_overwrite<std::byte[]>(size);
    std::copy(buffer_.get() + begin_, buffer_.get() + end_, larger.get());
    buffer_ = std::move(larger);
    size_ = size;
    end_ -= begin_;
    begin_ = 0;
}

std::span<std::byte> PduReader::room() {
    if (size_ < read_size_)
        grow(read_size_);
    const std::size_t held = end_ - begin_;
    std::size_t wanted = read_size_ / 4; // so that reads stay few
    if (header_checked_) {               // its length is within the limit
        const HeaderView header(
            std::span<const std::byte, basic_header_size>(buffer_.get() + begin_, basic_header_size));
        wanted = std::max<std::size_t>(wanted, header.pdu_length(digests_.header, digests_.data) - held);
    }
    if (held == 0 || size_ - end_ < wanted) {
        std::copy(buffer_.get() + begin_, buffer_.get() + end_, buffer_.get());
        begin_ = 0;
        end_ = held;
    }
    if (size_ - end_ < wanted)
        grow(end_ + wanted);
    return {buffer_.get() + end_, size_ - end_};
}

void PduReader::received(std::size_t bytes, std::int64_t ns) {
    end_ += bytes;
    read_ns_ = ns;
}

// The header digest is checked before any length in the header is used.
bool PduReader::header_is_sound(HeaderView header, std::span<const std::byte> bytes) {
    const std::size_t length = header.header_length();
    if (digests_.header && !digest_matches(bytes.first(length), bytes.subspan(length)))
        error_ = "header digest error in a PDU from the " + peer_;
    else if (header.data_segment_length() > limit_)
        error_ = "the " + peer_ + " sent a data segment of " + std::to_string(header.data_segment_length()) +
                 " bytes where " + std::to_string(limit_) + " are allowed";
    return error_.empty();
}

std::optional<IncomingPdu> PduReader::next() {
    const std::span<const std::byte> bytes(buffer_.get() + begin_, end_ - begin_);
    if (!error_.empty() || bytes.size() < basic_header_size)
        return std::nullopt;
    if (header_ns_ == 0)
        header_ns_ = read_ns_;
    const HeaderView header(bytes.first<basic_header_size>());
    const std::size_t data_at = header.header_length() + (digests_.header ? digest_size : 0);
    if (!header_checked_ && (bytes.size() < data_at || !header_is_sound(header, bytes)))
        return std::nullopt;
    header_checked_ = true;
    const std::size_t whole = header.pdu_length(digests_.header, digests_.data);
    if (bytes.size() < whole)
        return std::nullopt;
    const std::size_t length = header.data_segment_length();
    IncomingPdu pdu{header,
                    bytes.subspan(basic_header_size, header.total_ahs_length()),
                    bytes.subspan(data_at, length),
                    true,
                    header_ns_,
                    read_ns_};
    if (digests_.data && length > 0)
        pdu.data_digest_ok =
            digest_matches(bytes.subspan(data_at, padded(length)), bytes.subspan(whole - digest_size));
    begin_ += whole;
    header_ns_ = 0;
    header_checked_ = false;
    return pdu;
}

} // namespace iscsiscope::testbed
