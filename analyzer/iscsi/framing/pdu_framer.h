// SPDX-License-Identifier: GPL-2.0-or-later
// Cuts one direction of a connection into PDUs, once it is known where one begins.
#pragma once

#include "analyzer/iscsi/framing/pdu.h"
#include "analyzer/tcp/stream/connection.h"

#include <cstdint>
#include <vector>

namespace iscsiscope {

// Whether a digest is in use on a connection.
enum class DigestMode : std::uint8_t { off, on, unknown };

// The frame up to which the in-order stream has come, and its time.
struct Reached {
    Time time{};
    FrameNumber frame = 0;

    void raise(Time t, FrameNumber f) {
        if (t > time || (t == time && f > frame)) {
            time = t;
            frame = f;
        }
    }
};

// Fed with the pieces of the stream, from the first byte of a PDU on. Reads headers, passes over data
// by counting. Copyable: a search tries several readings of the same bytes side by side.
class PduFramer {
public:
    class Output {
    public:
        virtual ~Output() = default;
        // Returns how many bytes of the data segment to keep in Pdu::data.
        virtual std::uint32_t header(const Pdu &) = 0;
        virtual void pdu(const Pdu &) = 0;
        // A header stands here that the standard forbids. True if it goes on from those before it all
        // the same: real stacks break rules.
        virtual bool continues(HeaderView) { return false; }
    };

    enum class Result : std::uint8_t {
        fed,             // the piece is used up
        choose_digest,   // a PDU with data begins, and whether data digests are in use is unknown
        lost,            // what stands here is no header, or cannot be seen
        digest_mismatch, // strict only: a digest that should be there is not
    };

    PduFramer(PduDirection direction, DigestMode header_digest, DigestMode data_digest, bool strict)
        : header_digest_(header_digest), data_digest_(data_digest), strict_(strict) {
        pdu_.direction = direction;
    }

    // Uses bytes of the piece from `used` on and advances it. `reached` is that of this piece. After
    // choose_digest or lost, `used` stands behind the header and the framer is not fed on unless the
    // digest has been chosen.
    Result feed(const StreamPiece &, std::uint32_t &used, const Reached &, Output &);

    // Takes a piece that lies within a data segment of which nothing is wanted any more: the way of nearly
    // every piece. False, and nothing is done: it is for feed().
    bool pass(const StreamPiece &piece) {
        if (part_ != Part::data || piece.length >= part_length_ - filled_ || filled_ < wanted_ ||
            in_use_.data == DigestMode::on || piece.unseen)
            return false;
        account(piece, 0, piece.length);
        covered_ = covered_ && piece.bytes.size() == piece.length;
        filled_ += piece.length;
        return true;
    }

    // While logging in only Login PDUs and Reject are headers: what else comes means that the end of
    // the login was not seen, and with it the digests.
    void set_login_phase(bool on) { login_phase_ = on; }
    bool login_phase() const { return login_phase_; }
    void set_digests(DigestMode header, DigestMode data) {
        header_digest_ = header;
        data_digest_ = data;
    }
    // After choose_digest: settles it and tells the header.
    void choose_data_digest(DigestMode, Output &);
    void set_strict(bool strict) { strict_ = strict; }
    DigestMode header_digest() const { return header_digest_; }
    DigestMode data_digest() const { return data_digest_; }
    PduDirection direction() const { return pdu_.direction; }

    // Between two PDUs.
    bool at_boundary() const { return part_ == Part::header && filled_ == 0; }
    // A header has been told, its PDU is not complete.
    bool in_pdu() const { return part_ == Part::data || part_ == Part::data_digest; }
    // A header has been begun and not been told. It started at pdu().offset.
    bool in_header() const { return !in_pdu() && !at_boundary(); }
    // The PDU being read. Its header bytes are valid so far as filled.
    const Pdu &pdu() const { return pdu_; }
    std::span<const std::byte> header_so_far() const { return {pdu_.header.data(), header_filled()}; }
    // Asks for the data segment's first bytes of the PDU whose header is being or has just been told.
    void keep(std::uint32_t bytes);
    // Data-segment bytes kept of the PDU being read (a trial keeps some before it is adopted).
    const std::vector<std::byte> &kept() const { return kept_; }
    // Content of the stream below this offset is of no use (with `next` the first byte not yet fed).
    std::uint64_t content_needed_from(std::uint64_t next) const;
    // The header just read is forbidden, but its digest or its numbers prove it.
    bool odd_header() const { return odd_header_; }

private:
    enum class Part : std::uint8_t { header, ahs, header_digest, data, data_digest };

    std::size_t header_filled() const { return part_ == Part::header ? filled_ : basic_header_size; }
    Result read_header(const StreamPiece &, std::uint32_t &used, const Reached &, Output &);
    Result header_bytes_complete(const Reached &, Output &);
    bool believable(HeaderView, Output &);
    Result header_complete(const Reached &, Output &);
    void read_data(const StreamPiece &, std::uint32_t &used);
    void begin_data_digest();
    Result read_digest(const StreamPiece &, std::uint32_t &used);
    void finish(const Reached &, Output &);
    void account(const StreamPiece &, std::uint32_t from, std::uint32_t count);

    Pdu pdu_;
    Part part_ = Part::header;
    DigestMode header_digest_, data_digest_;
    struct {
        DigestMode header = DigestMode::off, data = DigestMode::off;
    } in_use_; // by the PDU being read
    bool strict_;
    bool login_phase_ = false;
    bool odd_header_ = false;
    bool unproved_header_ = false;  // its digest must prove it
    bool covered_ = true;           // all bytes under the digest being read are in the file
    std::uint32_t filled_ = 0;      // bytes of the current part
    std::uint32_t part_length_ = 0; // of ahs, data (with padding)
    std::uint32_t crc_ = 0;
    std::array<std::byte, 4> digest_{};
    std::uint32_t wanted_ = 0;
    std::vector<std::byte> ahs_, kept_;
};

} // namespace iscsiscope
