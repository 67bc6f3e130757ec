// SPDX-License-Identifier: GPL-2.0-or-later
// SharedKeys and KeyPool: store the keys of logins (about 6 KB each) once if they are equal. Connections of
// one initiator to one target usually have equal lists; other connections share the keys that are equal.
#pragma once

#include "analyzer/iscsi/text/negotiated_key.h"

#include <array>
#include <cstddef>
#include <iterator>
#include <memory>
#include <mutex>
#include <vector>

namespace iscsiscope {

// A constant list; copies share it.
class SharedKeys {
public:
    class Iterator {
    public:
        using iterator_category = std::forward_iterator_tag;
        using value_type = NegotiatedKey;
        using difference_type = std::ptrdiff_t;
        using pointer = const NegotiatedKey *;
        using reference = const NegotiatedKey &;

        Iterator() = default;
        explicit Iterator(const std::shared_ptr<const NegotiatedKey> *at) : at_(at) {}
        reference operator*() const { return **at_; }
        pointer operator->() const { return at_->get(); }
        Iterator &operator++() {
            ++at_;
            return *this;
        }
        Iterator operator++(int) { return Iterator(at_++); }
        friend bool operator==(const Iterator &, const Iterator &) = default;

    private:
        const std::shared_ptr<const NegotiatedKey> *at_ = nullptr;
    };

    SharedKeys() = default;
    explicit SharedKeys(const std::vector<NegotiatedKey> &);

    Iterator begin() const { return Iterator(list_ ? list_->data() : nullptr); }
    Iterator end() const { return Iterator(list_ ? list_->data() + list_->size() : nullptr); }
    std::size_t size() const { return list_ ? list_->size() : 0; }
    bool empty() const { return size() == 0; }
    const NegotiatedKey &operator[](std::size_t i) const { return *(*list_)[i]; }

private:
    friend class KeyPool;
    using List = std::vector<std::shared_ptr<const NegotiatedKey>>;
    std::shared_ptr<const List> list_; // null: empty
};

// Remembers the last 16 lists. Several threads may use it at a time.
class KeyPool {
public:
    // Makes the list share the memory of an equal list among those remembered, or else the keys that are
    // equal to those at the same position of one of them.
    void share(SharedKeys &);

private:
    std::mutex lock_;
    std::array<SharedKeys, 16> recent_;
    std::size_t next_ = 0;
};

} // namespace iscsiscope
