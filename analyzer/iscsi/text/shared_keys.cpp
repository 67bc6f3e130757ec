// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/text/shared_keys.h"

#include <algorithm>

namespace iscsiscope {

void KeyPool::share(SharedKeys &keys) {
    if (keys.empty())
        return;
    for (const SharedKeys &known : recent_) {
        if (std::ranges::equal(known, keys)) {
            keys = known;
            return;
        }
    }
    recent_[next_++ % recent_.size()] = keys;
}

} // namespace iscsiscope
