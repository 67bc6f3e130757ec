// SPDX-License-Identifier: GPL-2.0-or-later
// HeaderSearch: finds where PDUs begin in a stream captured from its middle, after unseen bytes, or whose
// digests are not known. Each plausible header starts trials ("readings") with and without digests. A reading
// is confirmed if further headers follow where they must, if a digest matches, or if its sequence numbers
// continue those before the break. The caller then takes over its PDUs and its framer.
#pragma once

#include "analyzer/iscsi/expectation/sync_context.h"
#include "analyzer/iscsi/framing/captured_tail.h"
#include "analyzer/iscsi/framing/digest_votes.h"
#include "analyzer/iscsi/pdu/pdu_framer.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace iscsiscope {

class HeaderSearch {
public:
    struct Settings {
        std::optional<PduDirection> direction; // none: not known yet which end is the initiator
        DigestMode header_digest = DigestMode::unknown;
        DigestMode data_digest = DigestMode::unknown;
        std::uint32_t confirmations = 1;      // further headers needed
        const SyncContext *context = nullptr; // numbers of the connection so far
        // An offset at which a PDU begins or ends, if one is known: headers are looked for at every fourth
        // byte from there, since all parts of a PDU are padded to four bytes (RFC 7143 section 11.1), and at
        // every byte once `aligned_bytes` of the stream have shown none.
        std::optional<std::uint64_t> boundary{};
    };
    static constexpr std::uint64_t aligned_bytes = std::uint64_t{1} << 20;

    // One reading of the stream from some offset on: a framer and the PDUs it has read so far.
    struct Trial final : PduFramer::Output {
        explicit Trial(PduFramer f) : framer(std::move(f)) {}
        PduFramer framer;
        std::vector<ReadPdu> pdus;
        bool proved = false; // by a digest, or by the text of a login
        bool dead = false;   // refuted
        // How a confirmed reading stopped within the piece: `lost` at bytes that are no header, `choice` at a
        // PDU for which only the use of data digests is undecided.
        enum class Stop : std::uint8_t { none, lost, choice };
        Stop stop = Stop::none;
        std::uint32_t stopped_at = 0; // bytes of the piece used
        bool start_certain = false;   // a PDU certainly begins here; only the digests are undecided

        std::uint32_t header(Pdu &) override;
        void pdu(const Pdu &) override;
        bool credible(const Pdu &) override { return true; } // confirmed() decides
    };

    explicit HeaderSearch(const Settings &settings) : settings_(settings) {}

    // Searches a piece from `used` on. Returns the confirmed reading, fed to the end of the piece (or stopped
    // in it), or null. Valid until the next call.
    Trial *feed(const StreamPiece &, std::uint32_t used, const Reached &);
    // Adds the readings with and without data digest of a PDU that certainly begins where this framer
    // stands (after choose_digest).
    void fork(const PduFramer &);
    // Bytes of a header that turned out to be none (or whose digests are undecided) are searched first. `at`
    // is their offset, `first` and `latest` are their earliest and latest times. start_certain: a PDU
    // certainly begins at `at`.
    void begin_with(std::span<const std::byte> bytes, std::uint64_t at, const Reached &first,
                    const Reached &latest, bool start_certain);
    // The direction has become known elsewhere: drops the readings of the other direction.
    void settle(PduDirection);
    // The digests in use have become known elsewhere: drops the readings with other digests.
    void settle(DigestMode header, DigestMode data);
    // Removes and returns shelved readings: those that ended at a cut or unseen header before they were
    // confirmed, and that the sequence numbers known by now prove. The result is in order of offset without
    // overlap, below `before`, and of the given direction and digests.
    std::vector<Trial> shelved(PduDirection, DigestMode header, DigestMode data, std::uint64_t before);
    // The first headers of all readings that are not proved.
    std::vector<HeaderBytes> unproved() const;
    // The direction of the first reading that the sequence numbers known by now prove.
    std::optional<PduDirection> proved_direction() const;
    // The stream has ended: shelves the remaining readings as well.
    void shelve_all();
    // The stream has ended: returns the reading whose last PDU ends exactly there, if it is the only one.
    Trial *conclude(std::uint64_t end_offset);

    std::uint64_t bytes_searched() const { return searched_; }

private:
    Trial *feed_trials(const StreamPiece &, std::uint32_t used, const Reached &, std::size_t from);
    void advance(std::size_t trial, const StreamPiece &, std::uint32_t used, const Reached &);
    bool confirmed(const Trial &) const;
    void shelve(Trial &);
    bool continues(const Trial &) const; // its sequence numbers continue the known ones
    void drop_dead();
    void try_at(std::uint64_t offset, const HeaderBytes &, const StreamPiece &, std::uint32_t used,
                const Reached &);
    void vote(std::uint64_t offset, HeaderView);

    Settings settings_;
    DigestVotes votes_;
    std::vector<Trial> trials_;
    std::vector<Trial> shelf_; // readings that ended unconfirmed, oldest first
    CapturedTail tail_;
    std::uint64_t searched_ = 0;
    std::optional<std::uint64_t> certain_start_;
};

} // namespace iscsiscope
