// SPDX-License-Identifier: GPL-2.0-or-later
// Pdu: one PDU as found on the wire, with its times (docs/figures.md, "Times of a PDU").
#pragma once

#include "analyzer/base/time.h"
#include "analyzer/iscsi/codec/direction.h"
#include "analyzer/iscsi/codec/header_mask.h"
#include "analyzer/iscsi/codec/header_view.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace iscsiscope {

enum class DigestState : std::uint8_t {
    none,    // not in use
    ok,      // present and verified
    bad,     // present, but does not match
    unknown, // in use, but the digest or bytes that it covers are not in the file
};

struct Pdu {
    PduDirection direction{};
    HeaderBytes header{};
    // Which bytes of the header are in the file, and which are known: in the file too, or they follow from
    // the PDUs before (completion.h). Bytes that are not known are zero and mean nothing.
    HeaderMask in_file = whole_header, known = whole_header;
    // The PDU's extent is not in the file: it was predicted from the state of the protocol, and a header
    // after it confirmed that (Bridge). Or its task tag is not in the file, and its task is the one that
    // fits (forecast.h).
    bool inferred = false;
    // The task tag is in the file neither here nor in the PDUs of the other direction that belong to it; the
    // header has one that stands for it (CommandNames).
    bool tag_stands_in = false;
    // PDUs of the other direction that came before it may be delivered after it, since a header behind them
    // must confirm them first, or a search find them.
    bool overtakes = false;
    // Its first byte is in no frame: it began later than the frame before it, which sets first_seen.
    bool begins_unseen = false;
    std::uint64_t offset = 0;      // of its first byte in the sender's stream
    std::uint64_t end_offset = 0;  // one past its last byte, digests and padding included
    std::uint32_t ahs_length = 0;  // bytes
    std::uint32_t data_length = 0; // DataSegmentLength, bytes
    // Each of these frames is known: a header is in a frame, or, if it was predicted, follows some of its
    // direction, and a PDU whose first or last bytes are in none counts with the frame before them.
    FrameNumber frame = 0;           // sets first_seen
    FrameNumber header_frame = 0;    // sets header_delivered
    FrameNumber last_frame = 0;      // sets complete
    FrameNumber delivered_frame = 0; // sets delivered
    Time first_seen{};               // of its first byte
    Time header_delivered{};         // when the in-order stream reached the end of BHS, AHS, header digest
    Time complete{};                 // latest first-seen time over its bytes
    Time delivered{};                // when the in-order stream reached its end
    DigestState header_digest = DigestState::none;
    DigestState data_digest = DigestState::none;
    std::uint32_t cut_bytes = 0;       // in a frame, but removed by the snap length
    std::uint32_t unseen_bytes = 0;    // in no frame
    std::uint32_t computed_digest = 0; // if a digest is bad: its correct value
    // Additional header segments, and the first bytes of the data segment as many as the sink requested
    // (without padding); shorter if bytes are cut or unseen. Valid during the call.
    std::span<const std::byte> ahs{};
    std::span<const std::byte> data{};

    HeaderView view() const { return HeaderView{header}; }
    bool knows(HeaderField f) const { return f.in(known); }
};

} // namespace iscsiscope
