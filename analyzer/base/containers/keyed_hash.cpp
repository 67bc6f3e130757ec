// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/base/containers/keyed_hash.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <sys/random.h>

namespace iscsiscope {
namespace {

HashKey draw_key() {
    HashKey key;
    if (const char *fixed = std::getenv("ISCSISCOPE_HASH_KEY")) {
        key.k0 = std::strtoull(fixed, nullptr, 0);
        return key;
    }
    // Without random bytes (an old kernel, a sandbox) a clock is still not known to who made the capture.
    if (::getrandom(&key, sizeof key, GRND_NONBLOCK) != static_cast<ssize_t>(sizeof key))
        key.k0 = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
    return key;
}

} // namespace

const HashKey process_hash_key = draw_key();

std::size_t KeyedTextHash::operator()(std::string_view text) const noexcept {
    std::uint64_t h = text.size();
    for (std::size_t at = 0; at < text.size(); at += sizeof h) {
        std::uint64_t word = 0;
        std::memcpy(&word, text.data() + at, std::min(sizeof word, text.size() - at));
        h = keyed_hash(h, word);
    }
    return static_cast<std::size_t>(h);
}

} // namespace iscsiscope
