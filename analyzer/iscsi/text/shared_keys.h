// SPDX-License-Identifier: GPL-2.0-or-later
// SharedKeys and KeyPool: store the keys of logins (about 4 KB each) once as far as they are equal. Logins of
// one initiator to one target usually have equal lists; those of others often differ in the names alone. A
// list therefore is one that others have too, and the keys of its own in a few bytes.
#pragma once

#include "analyzer/iscsi/text/negotiated_key.h"

#include <array>
#include <cstddef>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace iscsiscope {

// A constant list; copies share it. Its keys are made when they are asked for.
class SharedKeys {
public:
    class Iterator {
    public:
        using iterator_concept = std::forward_iterator_tag;
        using iterator_category = std::input_iterator_tag;
        using value_type = NegotiatedKey;
        using difference_type = std::ptrdiff_t;

        Iterator() = default;
        Iterator(const SharedKeys &of, std::size_t at) : of_(&of), at_(at) {}
        NegotiatedKey operator*() const { return (*of_)[at_]; }
        Iterator &operator++() {
            ++at_;
            return *this;
        }
        Iterator operator++(int) { return {*of_, at_++}; }
        friend bool operator==(const Iterator &, const Iterator &) = default;

    private:
        const SharedKeys *of_ = nullptr;
        std::size_t at_ = 0;
    };

    SharedKeys() = default;
    explicit SharedKeys(std::vector<NegotiatedKey> keys) {
        if (!keys.empty())
            list_ = std::make_shared<const List>(std::move(keys));
    }

    Iterator begin() const { return {*this, 0}; }
    Iterator end() const { return {*this, size()}; }
    std::size_t size() const { return list_ ? list_->size() : 0; }
    bool empty() const { return size() == 0; }
    NegotiatedKey operator[](std::size_t i) const;
    std::optional<NegotiatedKey> find(std::string_view key) const; // empty: it is not in the list
    // True if the memory of the key is that of the other list's.
    bool shares(const SharedKeys &other, std::size_t i) const;

private:
    friend class KeyPool;
    using List = std::vector<NegotiatedKey>;

    // Makes it a list that others have, and what differs from it. Returns false, without effect, if that is
    // not worth it.
    bool derive_from(const std::shared_ptr<const List> &base);

    std::shared_ptr<const List> list_; // null: empty
    std::string own_;                  // the keys that differ from those of list_, packed
};

// Remembers the last 16 lists. Several threads may use it at a time.
class KeyPool {
public:
    // Makes the list share the memory of the keys that are equal in one of the lists remembered.
    void share(SharedKeys &);

private:
    std::mutex lock_;
    std::array<SharedKeys, 16> recent_;
    std::size_t next_ = 0;
};

} // namespace iscsiscope
