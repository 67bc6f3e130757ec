// SPDX-License-Identifier: GPL-2.0-or-later
// The keys of a login, held once by all connections that agreed on the same ones: they take some
// 6 KB, and one initiator's connections to one target differ in none.
#pragma once

#include "analyzer/iscsi/text/negotiated_key.h"

#include <array>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace iscsiscope {

// A constant list; copies share it.
class SharedKeys {
public:
    SharedKeys() = default;
    explicit SharedKeys(std::vector<NegotiatedKey> keys)
        : keys_(std::make_shared<const std::vector<NegotiatedKey>>(std::move(keys))) {}

    const NegotiatedKey *begin() const { return keys_ ? keys_->data() : nullptr; }
    const NegotiatedKey *end() const { return begin() + size(); }
    std::size_t size() const { return keys_ ? keys_->size() : 0; }
    bool empty() const { return size() == 0; }
    const NegotiatedKey &operator[](std::size_t i) const { return (*keys_)[i]; }

private:
    friend class KeyPool;
    std::shared_ptr<const std::vector<NegotiatedKey>> keys_; // null: empty
};

// Remembers the last lists given to it.
class KeyPool {
public:
    // If an equal list is among them this one shares it from now on.
    void share(SharedKeys &);

private:
    std::array<SharedKeys, 16> recent_;
    std::size_t next_ = 0;
};

} // namespace iscsiscope
