// SPDX-License-Identifier: GPL-2.0-or-later
// Finds where PDUs begin in a stream met in its middle, behind bytes that nobody saw, or whose
// digests are not known. Every place where a plausible header stands is tried; a reading is taken
// when the header that must follow stands where it must, when a digest proves it, or when its
// numbers continue those of the headers before the break. The PDUs of that reading are then told.
#pragma once

#include "analyzer/iscsi/framing/pdu_framer.h"
#include "analyzer/iscsi/framing/sync_context.h"

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
        std::uint32_t confirmations = 1;      // further headers asked for
        const SyncContext *context = nullptr; // numbers of the connection so far
    };

    // One reading of the bytes from some place on: a framer and what it has told so far.
    struct Trial final : PduFramer::Output {
        explicit Trial(PduFramer f) : framer(std::move(f)) {}
        struct Told {
            Pdu pdu;
            bool complete = false; // else only its header was read
            std::vector<std::byte> data, ahs;
        };
        PduFramer framer;
        std::vector<Told> told;
        bool proved = false; // by a digest, or by the text of a login
        bool dead = false;
        // Read what proves it, then stopped within the piece, having used this much of it: at what is no
        // header, or at a PDU of which only the use of data digests is in question.
        enum class Stop : std::uint8_t { none, lost, choice };
        Stop stop = Stop::none;
        std::uint32_t stopped_at = 0;
        bool start_certain = false; // a PDU does begin here; only the digests are in question

        std::uint32_t header(const Pdu &) override;
        void pdu(const Pdu &) override;
    };

    explicit HeaderSearch(const Settings &settings) : settings_(settings) {}

    // Looks through a piece, from `used` on. The reading found, fed to the end of the piece (or
    // stopped in it), or null.
    Trial *feed(const StreamPiece &, std::uint32_t used, const Reached &);
    // Adds the readings with and without data digest of a PDU that certainly begins where this framer
    // stands (after choose_digest).
    void fork(const PduFramer &);
    // Bytes of a header that turned out to be none (or whose reading of digests is open) are looked
    // through first; of their times the first byte's and the latest are told. start_certain: a PDU does
    // begin at `at`.
    void begin_with(std::span<const std::byte> bytes, std::uint64_t at, const Reached &first,
                    const Reached &latest, bool start_certain);
    // Which way this direction goes became known otherwise: drops the readings that go the other way.
    void settle(PduDirection);
    // What digests are in use became known otherwise: drops the readings that say something else.
    void settle(DigestMode header, DigestMode data);
    // Readings that were whole as far as they went, but broke off (at a header cut or unseen) before
    // anything proved them, and that the numbers known by now prove. In order, without overlap, all
    // before this offset, this way, and of these digests. They are taken out.
    std::vector<Trial> shelved(PduDirection, DigestMode header, DigestMode data, std::uint64_t before);
    // Headers that were read and that nothing has proved yet.
    std::vector<HeaderBytes> unproved() const;
    // The direction of the first reading that the numbers known by now prove.
    std::optional<PduDirection> proved_direction() const;
    // The stream has ended: readings that did not break off are shelved as well.
    void shelve_all();
    // The stream has ended: a reading that comes out even, where there is just one.
    Trial *conclude(std::uint64_t end_offset);

    std::uint64_t bytes_searched() const { return searched_; }

private:
    // Visible bytes too few to hold a header yet, with their origin.
    struct Fragment {
        std::uint64_t offset = 0;
        Time first_seen{};
        FrameNumber frame = 0;
        std::vector<std::byte> bytes;
    };

    Trial *feed_trials(const StreamPiece &, std::uint32_t used, const Reached &, std::size_t from);
    void advance(std::size_t trial, const StreamPiece &, std::uint32_t used, const Reached &);
    bool confirmed(const Trial &) const;
    void shelve(Trial &);
    bool continues(const Trial &) const; // the numbers known
    void drop_dead();
    void try_at(std::uint64_t offset, const HeaderBytes &, const StreamPiece &, std::uint32_t used,
                const Reached &);
    void remember(const StreamPiece &, std::uint32_t used);

    Settings settings_;
    std::vector<Trial> trials_;
    std::vector<Trial> shelf_;   // broken off unproved, oldest first
    std::vector<Fragment> tail_; // the last visible bytes, at most 47, contiguous with the next piece
    std::uint64_t tail_end_ = 0;
    std::uint64_t searched_ = 0;
    std::optional<std::uint64_t> certain_start_;
};

} // namespace iscsiscope
