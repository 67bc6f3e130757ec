// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/text/shared_keys.h"

#include <algorithm>

namespace iscsiscope {

SharedKeys::SharedKeys(const std::vector<NegotiatedKey> &keys) {
    if (keys.empty())
        return;
    List list;
    list.reserve(keys.size());
    for (const NegotiatedKey &key : keys)
        list.push_back(std::make_shared<const NegotiatedKey>(key));
    list_ = std::make_shared<const List>(std::move(list));
}

void KeyPool::share(SharedKeys &keys) {
    if (keys.empty())
        return;
    const std::lock_guard held(lock_);
    for (const SharedKeys &known : recent_) {
        if (known.list_ == keys.list_ || (known.size() == keys.size() && std::ranges::equal(known, keys))) {
            keys = known;
            return;
        }
    }
    SharedKeys::List list = *keys.list_;
    for (std::size_t i = 0; i < list.size(); ++i) {
        for (const SharedKeys &known : recent_) {
            if (i < known.size() && known[i] == *list[i]) {
                list[i] = (*known.list_)[i];
                break;
            }
        }
    }
    keys.list_ = std::make_shared<const SharedKeys::List>(std::move(list));
    recent_[next_++ % recent_.size()] = keys;
}

} // namespace iscsiscope
