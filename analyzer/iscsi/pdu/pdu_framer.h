// SPDX-License-Identifier: GPL-2.0-or-later
// PduFramer: splits one direction of a connection into PDUs, given where one begins and which digests are in
// use. Stream pieces go in, headers and PDUs with their times come out.
#pragma once

#include "analyzer/iscsi/pdu/pdu.h"
#include "analyzer/tcp/stream/connection.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace iscsiscope {

// Whether a digest is in use on a connection.
enum class DigestMode : std::uint8_t { off, on, unknown };

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

// A PDU that was read before it is known to be one: the framer's output, with its bytes.
struct ReadPdu {
    Pdu pdu;
    bool complete = false; // false: only the header has been read
    std::vector<std::byte> data, ahs;
};

// Takes the pieces of the stream from the first byte of a PDU on. Data segments are counted, not read, unless
// a digest covers them or the sink needs them. Copyable: HeaderSearch tries several readings side by side.
class PduFramer {
public:
    class Output {
    public:
        virtual ~Output() = default;
        // Returns how many bytes of the data segment to keep in Pdu::data. May fill in the header's fields
        // that are not known.
        virtual std::uint32_t header(Pdu &) = 0;
        virtual void pdu(const Pdu &) = 0;
        // Called for a header that RFC 7143 forbids. Returns true if its sequence numbers continue those of
        // the headers before it, since real stacks break rules.
        virtual bool continues(HeaderView) { return false; }
        // Called for a header of which the file holds a part, its extent among that, and which RFC 7143
        // allows. Returns whether it is to be taken as a header.
        virtual bool credible(const Pdu &) { return false; }
        // Returns whether the connection is known to be iSCSI by more than the header to be judged.
        virtual bool certainly_iscsi() { return false; }
    };

    enum class Result : std::uint8_t {
        fed,             // the piece is used up
        choose_digest,   // a PDU with data begins, and whether data digests are in use is unknown
        lost,            // the bytes are not a header, or where it ends is not in the file
        hidden,          // follow_hidden() only: the header's bytes are passed, its extent is not in the file
        digest_mismatch, // strict only: a digest does not match
    };

    PduFramer(PduDirection direction, DigestMode header_digest, DigestMode data_digest, bool strict)
        : header_digest_(header_digest), data_digest_(data_digest), strict_(strict) {
        pdu_.direction = direction;
    }

    // Reads the piece from `used` on and advances `used`. `reached` includes this piece. After choose_digest
    // or lost, `used` is one past the header; feeding may continue only after choose_data_digest().
    Result feed(const StreamPiece &, std::uint32_t &used, const Reached &, Output &);

    // Fast path for a piece inside a data segment of which no more bytes are kept (nearly every piece).
    // Returns false, without effect, if the piece must go to feed().
    bool pass(const StreamPiece &piece) {
        if (!passes(piece))
            return false;
        account(piece, 0, piece.length);
        covered_ = covered_ && piece.bytes.size() == piece.length;
        filled_ += piece.length;
        return true;
    }

    // Returns whether pass() would take the piece.
    bool passes(const StreamPiece &piece) const {
        return part_ == Part::data && piece.length < part_length_ - filled_ && filled_ >= wanted_ &&
               in_use_.data != DigestMode::on && !piece.unseen;
    }

    // In the login phase only Login PDUs and Reject are taken as headers: any other PDU means that the end of
    // the login, which determines the digests, was not seen.
    void set_login_phase(bool on) { login_phase_ = on; }
    bool login_phase() const { return login_phase_; }
    void set_digests(DigestMode header, DigestMode data) {
        header_digest_ = header;
        data_digest_ = data;
    }
    // After choose_digest: sets the use of data digests and delivers the header.
    void choose_data_digest(DigestMode, Output &);
    void set_strict(bool strict) { strict_ = strict; }
    DigestMode header_digest() const { return header_digest_; }
    DigestMode data_digest() const { return data_digest_; }
    PduDirection direction() const { return pdu_.direction; }

    // A header whose extent is not in the file: feed() passes its bytes and returns `hidden`, and assume()
    // says what it is. Without this, feed() returns `lost` at the first byte that is not there.
    void follow_hidden(bool on) { follow_hidden_ = on; }
    // After hidden: the header is this one. `known`: which of its bytes.
    Result assume(const HeaderBytes &, HeaderMask known, const Reached &, Output &);
    // True if feed() returned `lost` because bytes of the header are not in the file, which it has not
    // passed.
    bool header_cut() const { return header_cut_; }

    // True between two PDUs.
    bool at_boundary() const { return part_ == Part::header && filled_ == 0; }
    // True if a header has been delivered whose PDU is not complete.
    bool in_pdu() const { return part_ == Part::data || part_ == Part::data_digest; }
    // The PDU being read. Of its header the bytes of header_so_far() are valid.
    const Pdu &pdu() const { return pdu_; }
    std::span<const std::byte> header_so_far() const {
        return {pdu_.header.data(), std::min(header_filled(), known_prefix(pdu_.in_file))};
    }
    // Requests the first data bytes of the PDU whose header is being, or has just been, delivered.
    void keep(std::uint32_t bytes);
    // The offset below which the content of the stream is not needed; `next` is the first byte not yet fed.
    std::uint64_t content_needed_from(std::uint64_t next) const;
    // True if RFC 7143 forbids the header just read, but its digest or its sequence numbers prove it.
    bool odd_header() const { return odd_header_; }

private:
    enum class Part : std::uint8_t { header, ahs, header_digest, data, data_digest };

    std::size_t header_filled() const { return part_ == Part::header ? filled_ : basic_header_size; }
    Result read_header(const StreamPiece &, std::uint32_t &used, const Reached &, Output &);
    Result header_bytes_complete(const Reached &, Output &);
    Result begin_pdu(const Reached &, Output &);
    bool take_header(std::span<const std::byte> in_file, std::uint32_t count);
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
    bool follow_hidden_ = false;
    bool header_cut_ = false;
    bool unproved_header_ = false;  // the header is accepted only if its digest matches
    bool covered_ = true;           // all bytes under the digest being read are in the file
    std::uint32_t filled_ = 0;      // bytes of the current part
    std::uint32_t part_length_ = 0; // of ahs, data (with padding)
    std::uint32_t crc_ = 0;
    std::array<std::byte, 4> digest_{};
    std::uint32_t wanted_ = 0;
    std::vector<std::byte> ahs_, kept_;
};

} // namespace iscsiscope
