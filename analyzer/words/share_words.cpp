// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/words/share_words.h"

#include "analyzer/base/number_format.h"

#include <fmt/format.h>

namespace iscsiscope {

std::string rough_share(double share) {
    return share >= 0.0995 && share <= 0.99 ? fmt::format("{:.0f} %", share * 100) : human::share(share);
}

} // namespace iscsiscope
