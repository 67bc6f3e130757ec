// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/document/stores/ledger_store.h"

namespace iscsiscope::gui {
namespace {

constexpr std::uint8_t ownerBits = 7, troubleBit = 8, newWorkBit = 16, apartBit = 32;
static_assert(owner_count <= ownerBits + 1);

// Times as numbers whose differences wrap, whatever a capture states.
std::uint64_t inUnsigned(Time t) {
    return static_cast<std::uint64_t>(to_ns(t));
}

// A difference of either sign as a number that is small if the difference is.
std::uint64_t folded(std::uint64_t difference) {
    return difference << 1 ^ (difference >> 63 != 0 ? ~std::uint64_t{0} : 0);
}

std::uint64_t unfolded(std::uint64_t n) {
    return n >> 1 ^ ((n & 1) != 0 ? ~std::uint64_t{0} : 0);
}

} // namespace

void LedgerStore::put(std::uint8_t byte) {
    bytes_.chunkToAppend().byte[bytes_.placeToAppend()] = byte;
    bytes_.added();
}

void LedgerStore::number(std::uint64_t n) {
    for (; n > 127; n >>= 7)
        put(static_cast<std::uint8_t>(n | 128));
    put(static_cast<std::uint8_t>(n));
}

void LedgerStore::append(const LedgerEntry &e) {
    const Work work{e.stream, e.lun, e.type};
    const bool newWork = works_.empty() || works_[work_] != work;
    if (newWork) {
        const auto [at, isNew] = places_.try_emplace(work, works_.size());
        if (isNew)
            works_.push_back(work);
        work_ = at->second;
    }
    std::uint64_t &end = ends_[e.stream];
    const std::uint64_t start = inUnsigned(e.start);
    put(static_cast<std::uint8_t>(static_cast<unsigned>(e.owner) | (e.trouble ? troubleBit : 0U) |
                                  (newWork ? newWorkBit : 0U) | (start != end ? apartBit : 0U)));
    if (newWork)
        number(work_);
    if (start != end)
        number(folded(start - end));
    number(static_cast<std::uint64_t>(to_ns(e.length)));
    end = start + static_cast<std::uint64_t>(to_ns(e.length));
    ++size_;
}

std::size_t LedgerStore::memory() const {
    return bytes_.memory() + works_.size() * 2 * (sizeof(Work) + sizeof(std::size_t));
}

std::uint64_t LedgerStore::Reader::number() {
    std::uint64_t n = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        const std::uint8_t byte = store_.bytes_.chunkOf(at_).byte[ChunkTable<Bytes>::placeOf(at_)];
        ++at_;
        n |= static_cast<std::uint64_t>(byte & 127U) << shift;
        if (byte < 128)
            break;
    }
    return n;
}

bool LedgerStore::Reader::next(LedgerEntry &e) {
    if (at_ >= store_.bytes_.size())
        return false;
    const std::uint64_t flags = number();
    if ((flags & newWorkBit) != 0)
        work_ = static_cast<std::size_t>(number());
    const Work &work = store_.works_[work_];
    e.stream = work.stream;
    e.lun = work.lun;
    e.type = work.type;
    e.owner = static_cast<Owner>(flags & ownerBits);
    e.trouble = (flags & troubleBit) != 0;
    std::uint64_t &end = ends_[work.stream];
    const std::uint64_t start = (flags & apartBit) != 0 ? end + unfolded(number()) : end;
    const std::uint64_t length = number();
    e.start = time_from_ns(static_cast<std::int64_t>(start));
    e.length = Duration{static_cast<std::int64_t>(length)};
    end = start + length;
    return true;
}

} // namespace iscsiscope::gui
