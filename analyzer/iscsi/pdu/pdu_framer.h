// SPDX-License-Identifier: GPL-2.0-or-later
// PduFramer: splits one direction of a connection into PDUs, given where one begins and which digests are in
// use. Stream pieces go in, headers and PDUs with their times come out. PduUnderWay has the PDU being read;
// what of it is a header, and what follows from that, is decided here.
#pragma once

#include "analyzer/iscsi/pdu/framing_rules.h"
#include "analyzer/iscsi/pdu/pdu.h"
#include "analyzer/iscsi/pdu/pdu_under_way.h"
#include "analyzer/tcp/stream/connection.h"

#include <cstdint>
#include <span>
#include <vector>

namespace iscsiscope {

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
        hidden,          // follow_hidden only: the header's bytes are passed, its extent is not in the file
        digest_mismatch, // strict only: a digest does not match
    };

    PduFramer(PduDirection direction, DigestMode header_digest, DigestMode data_digest, bool strict)
        : current_(direction), rules_{.digests = {header_digest, data_digest}, .strict = strict} {}

    // Reads the piece from `used` on and advances `used`. `reached` includes this piece. After choose_digest
    // or lost, `used` is one past the header; feeding may continue only after choose_data_digest().
    Result feed(const StreamPiece &, std::uint32_t &used, const Reached &, Output &);

    // Fast path for a piece inside a data segment of which no more bytes are kept (nearly every piece).
    // Returns false, without effect, if the piece must go to feed().
    bool pass(const StreamPiece &piece) {
        if (!passes(piece))
            return false;
        current_.pass(piece);
        return true;
    }

    // Returns whether pass() would take the piece.
    bool passes(const StreamPiece &piece) const { return current_.passes(piece); }

    const FramingRules &rules() const { return rules_; }
    FramingRules &rules() { return rules_; }
    // After choose_digest: sets the use of data digests and delivers the header.
    void choose_data_digest(DigestMode, Output &);
    PduDirection direction() const { return pdu().direction; }

    // After hidden: the header is this one. `known`: which of its bytes.
    Result assume(const HeaderBytes &, HeaderMask known, const Reached &, Output &);
    // True if feed() returned `lost` because bytes of the header are not in the file, which it has not
    // passed.
    bool header_cut() const { return header_cut_; }

    // True between two PDUs.
    bool at_boundary() const { return current_.at_boundary(); }
    // True if a header has been delivered whose PDU is not complete.
    bool in_pdu() const { return current_.part() == Part::data || current_.part() == Part::data_digest; }
    // The PDU being read. Of its header the bytes of header_so_far() are valid.
    const Pdu &pdu() const { return current_.pdu(); }
    std::span<const std::byte> header_so_far() const { return current_.header_so_far(); }
    // Requests the first data bytes of the PDU whose header is being, or has just been, delivered.
    void keep(std::uint32_t bytes) { current_.keep(bytes); }
    // The offset below which the content of the stream is not needed; `next` is the first byte not yet fed.
    std::uint64_t content_needed_from(std::uint64_t next) const { return current_.content_needed_from(next); }
    // True if RFC 7143 forbids the header just read, but its digest or its sequence numbers prove it.
    bool odd_header() const { return odd_header_; }

private:
    using Part = PduUnderWay::Part;

    Result read_header(const StreamPiece &, std::uint32_t &used, const Reached &, Output &);
    Result judge_header(const Reached &, Output &);
    Result header_complete(const Reached &, Output &);

    PduUnderWay current_;
    FramingRules rules_;
    bool odd_header_ = false;
    bool header_cut_ = false;
    bool unproved_header_ = false; // the header is accepted only if its digest matches
};

} // namespace iscsiscope
