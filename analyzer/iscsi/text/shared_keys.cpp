// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/text/shared_keys.h"

#include <cstdint>
#include <optional>

namespace iscsiscope {
namespace {

// A key packed: its number in the list, a byte of bits, its origin, and its texts, each behind its length. A
// text that repeats one before it is not there.
constexpr unsigned has_initiator = 1, has_target = 2, has_offer = 4, target_offered = 8;
constexpr unsigned in_force_is_initiators = 16, in_force_is_targets = 32, has_in_force_target = 64;

void put_number(std::string &to, std::size_t number) {
    for (; number >= 0x80; number >>= 7)
        to.push_back(static_cast<char>((number & 0x7f) | 0x80));
    to.push_back(static_cast<char>(number));
}

void put_text(std::string &to, const std::string &text) {
    put_number(to, text.size());
    to += text;
}

void pack_key(std::string &to, std::size_t number, const NegotiatedKey &key) {
    const bool initiators = key.initiator && key.in_force == *key.initiator;
    const bool targets = !initiators && key.target && key.in_force == *key.target;
    const unsigned bits = (key.initiator ? has_initiator : 0) | (key.target ? has_target : 0) |
                          (key.offered_by ? has_offer : 0) |
                          (key.offered_by == Party::target ? target_offered : 0) |
                          (initiators ? in_force_is_initiators : 0) | (targets ? in_force_is_targets : 0) |
                          (!key.in_force_target.empty() ? has_in_force_target : 0);
    put_number(to, number);
    to.push_back(static_cast<char>(bits));
    to.push_back(static_cast<char>(key.origin));
    put_text(to, key.key);
    if (key.initiator)
        put_text(to, *key.initiator);
    if (key.target)
        put_text(to, *key.target);
    if (!initiators && !targets)
        put_text(to, key.in_force);
    if (!key.in_force_target.empty())
        put_text(to, key.in_force_target);
}

class PackedKeys {
public:
    explicit PackedKeys(const std::string &bytes) : bytes_(bytes) {}

    // Returns the key of which wanted(number, key) is true; empty: it is not there.
    template <class Wanted>
    std::optional<NegotiatedKey> find(Wanted wanted) {
        while (at_ < bytes_.size()) {
            const std::size_t number = take_number();
            NegotiatedKey key = take_key();
            if (wanted(number, key))
                return key;
        }
        return std::nullopt;
    }
    std::optional<NegotiatedKey> find(std::size_t wanted) {
        return find([wanted](std::size_t number, const NegotiatedKey &) { return number == wanted; });
    }

private:
    std::size_t take_number() {
        std::size_t number = 0;
        for (unsigned shift = 0;; shift += 7) {
            const auto byte = static_cast<std::uint8_t>(bytes_[at_++]);
            number |= std::size_t{byte & 0x7fU} << shift;
            if (byte < 0x80)
                return number;
        }
    }
    std::string take_text() {
        const std::size_t length = take_number();
        at_ += length;
        return bytes_.substr(at_ - length, length);
    }
    NegotiatedKey take_key() {
        const auto bits = static_cast<std::uint8_t>(bytes_[at_++]);
        NegotiatedKey key;
        key.origin = static_cast<ValueOrigin>(bytes_[at_++]);
        key.key = take_text();
        if ((bits & has_offer) != 0)
            key.offered_by = (bits & target_offered) != 0 ? Party::target : Party::initiator;
        if ((bits & has_initiator) != 0)
            key.initiator = take_text();
        if ((bits & has_target) != 0)
            key.target = take_text();
        key.in_force = (bits & in_force_is_initiators) != 0 ? *key.initiator
                       : (bits & in_force_is_targets) != 0  ? *key.target
                                                            : take_text();
        if ((bits & has_in_force_target) != 0)
            key.in_force_target = take_text();
        return key;
    }

    const std::string &bytes_;
    std::size_t at_ = 0;
};

} // namespace

NegotiatedKey SharedKeys::operator[](std::size_t i) const {
    if (!own_.empty())
        if (auto own = PackedKeys(own_).find(i))
            return *std::move(own);
    return (*list_)[i];
}

std::optional<NegotiatedKey> SharedKeys::find(std::string_view key) const {
    if (auto own = PackedKeys(own_).find([&](std::size_t, const NegotiatedKey &k) { return k.key == key; }))
        return own;
    for (std::size_t i = 0; i < size(); ++i)
        if ((*list_)[i].key == key && !PackedKeys(own_).find(i))
            return (*list_)[i];
    return std::nullopt;
}

bool SharedKeys::shares(const SharedKeys &other, std::size_t i) const {
    return list_ == other.list_ && !PackedKeys(own_).find(i) && !PackedKeys(other.own_).find(i);
}

bool SharedKeys::derive_from(const std::shared_ptr<const List> &base) {
    constexpr std::size_t most = 4; // keys of its own
    if (base == nullptr || base->size() != size())
        return false;
    std::string own;
    std::size_t count = 0;
    for (std::size_t i = 0; i < size(); ++i) {
        if ((*base)[i] == (*list_)[i])
            continue;
        if (++count > most)
            return false;
        pack_key(own, i, (*list_)[i]);
    }
    own.shrink_to_fit();
    list_ = base;
    own_ = std::move(own);
    return true;
}

void KeyPool::share(SharedKeys &keys) {
    if (keys.empty() || !keys.own_.empty())
        return;
    const std::lock_guard held(lock_);
    for (const SharedKeys &known : recent_)
        if (keys.derive_from(known.list_))
            return;
    recent_[next_++ % recent_.size()] = keys;
}

} // namespace iscsiscope
