// SPDX-License-Identifier: GPL-2.0-or-later
// PduUnderWay: the PDU of a direction of which bytes are still to come, part by part: basic header segment,
// AHS, header digest, data with padding, data digest. In: the pieces of the stream, and which digests the PDU
// has once its header is there. Out: the Pdu, its times and counts, and the bytes that are wanted of it. It
// takes any header: PduFramer judges it, and says when the next part may begin.
#pragma once

#include "analyzer/iscsi/pdu/digest_check.h"
#include "analyzer/iscsi/pdu/framing_rules.h"
#include "analyzer/iscsi/pdu/pdu.h"
#include "analyzer/tcp/stream/connection.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace iscsiscope {

// How far the in-order stream has come: the latest frame and its time.
struct Reached {
    Time time = Time::min();
    OptionalFrame frame; // empty: it has not come to a frame yet, and no header can have been read

    void raise(Time t, FrameNumber f) {
        if (t > time || (t == time && (!frame || f > *frame))) {
            time = t;
            frame = f;
        }
    }
};

// Counts bytes of a piece, from number `from` on, as bytes of the PDU, and raises its times.
void count_bytes(Pdu &, const StreamPiece &, std::uint32_t from, std::uint32_t count);

class PduUnderWay {
public:
    enum class Part : std::uint8_t { header, ahs, header_digest, data, data_digest };
    enum class Header : std::uint8_t {
        part,  // more of it is to come
        whole, // all its bytes are passed
        cut,   // the file does not hold the bytes that show where the PDU ends; these are not passed
    };

    explicit PduUnderWay(PduDirection direction) { pdu_.direction = direction; }

    // The part to be read. It is still the last one of the header when that is complete.
    Part part() const { return part_; }
    bool at_boundary() const { return part_ == Part::header && filled_ == 0; }
    const Pdu &pdu() const { return pdu_; }
    Pdu &pdu() { return pdu_; }
    // The bytes of the header that are there, up to the first one that is not in the file.
    std::span<const std::byte> header_so_far() const {
        const std::size_t filled = part_ == Part::header ? filled_ : basic_header_size;
        return {pdu_.header.data(), std::min(filled, known_prefix(pdu_.in_file))};
    }

    // The functions that take a part read the piece from `used` on and advance `used`.

    // A PDU begins at byte `used` of the piece.
    void begin(const StreamPiece &, std::uint32_t used, const Reached &);
    // Takes the basic header segment. With follow_hidden, bytes that are not in the file are passed.
    Header take_header(const StreamPiece &, std::uint32_t &used, bool follow_hidden);
    // Bytes of the header that are not in the file are these. `known`: which of them.
    void assume(const HeaderBytes &, HeaderMask known);
    // The basic header segment is there, as far as it is known, and these digests are in use on the
    // connection. Returns whether the header is complete with that: it has neither AHS nor digest.
    bool begin_parts(DigestModes);
    // Takes the additional header segments. Returns whether they are complete.
    bool take_ahs(const StreamPiece &, std::uint32_t &used);
    // Takes the header digest or the data digest, and judges it once it is complete: returns whether it is.
    bool take_digest(const StreamPiece &, std::uint32_t &used);
    // The header is complete. data_digest: its use, if that was not known when the PDU began. Returns false
    // if it is still not known, and there are data.
    bool begin_data(const Reached &, DigestMode data_digest);
    void set_data_digest(DigestMode);
    // Requests the first bytes of the data segment.
    void keep(std::uint32_t bytes);
    // Takes the data segment. Returns whether it is complete: then the next part is the data digest, or, if
    // it is still the data, there is none.
    bool take_data(const StreamPiece &, std::uint32_t &used);
    // The last part is complete: the PDU is, until the next begins.
    void finish(const Reached &);

    // Returns whether pass() may be called: the piece lies inside the data segment and does not end it, and
    // its bytes are neither wanted nor under a digest.
    bool passes(const StreamPiece &piece) const {
        return part_ == Part::data && piece.length < part_length_ - filled_ && filled_ >= wanted_ &&
               in_use_.data != DigestMode::on && !piece.unseen;
    }
    // The short way of take_data().
    void pass(const StreamPiece &piece) {
        count_bytes(pdu_, piece, 0, piece.length);
        covered_ = covered_ && piece.bytes.size() == piece.length;
        filled_ += piece.length;
    }

    // The offset below which the content of the stream is not needed; `next` is the first byte not yet fed.
    std::uint64_t content_needed_from(std::uint64_t next) const {
        if (part_ != Part::data || in_use_.data == DigestMode::on || kept_.size() < wanted_)
            return next;
        return next + (part_length_ - filled_);
    }

private:
    Pdu pdu_;
    Part part_ = Part::header;
    DigestModes in_use_;            // by this PDU
    bool covered_ = true;           // all bytes under the digest being read are in the file
    std::uint32_t filled_ = 0;      // bytes of the current part
    std::uint32_t part_length_ = 0; // of ahs, data (with padding)
    std::uint32_t wanted_ = 0;
    DigestCheck digest_;
    std::vector<std::byte> ahs_, kept_;
};

} // namespace iscsiscope
