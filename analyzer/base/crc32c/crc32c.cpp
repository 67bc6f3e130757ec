// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/base/crc32c/crc32c.h"

#include "analyzer/base/crc32c/crc32c_hardware.h"
#include "analyzer/base/crc32c/crc32c_polynomial.h"

namespace iscsiscope {
namespace {

constexpr crc32c_detail::Tables tables = crc32c_detail::make_tables();

std::uint32_t load_little(const std::byte *p) {
    return std::to_integer<std::uint32_t>(p[0]) | std::to_integer<std::uint32_t>(p[1]) << 8 |
           std::to_integer<std::uint32_t>(p[2]) << 16 | std::to_integer<std::uint32_t>(p[3]) << 24;
}

const crc32c_detail::Hardware &hardware() {
    static const crc32c_detail::Hardware found = crc32c_detail::find_hardware();
    return found;
}

} // namespace

std::uint32_t crc32c_table(std::uint32_t state, std::span<const std::byte> bytes) {
    std::uint32_t crc = ~state;
    const std::byte *p = bytes.data();
    std::size_t left = bytes.size();
    for (; left >= 8; left -= 8, p += 8) {
        const std::uint32_t a = load_little(p) ^ crc, b = load_little(p + 4);
        crc = tables[7][a & 0xff] ^ tables[6][(a >> 8) & 0xff] ^ tables[5][(a >> 16) & 0xff] ^
              tables[4][a >> 24] ^ tables[3][b & 0xff] ^ tables[2][(b >> 8) & 0xff] ^
              tables[1][(b >> 16) & 0xff] ^ tables[0][b >> 24];
    }
    for (; left != 0; --left, ++p)
        crc = (crc >> 8) ^ tables[0][(crc ^ std::to_integer<std::uint32_t>(*p)) & 0xff];
    return ~crc;
}

std::uint32_t crc32c(std::uint32_t state, std::span<const std::byte> bytes) {
    const auto &h = hardware();
    return h.update != nullptr ? ~h.update(~state, bytes.data(), bytes.size()) : crc32c_table(state, bytes);
}

std::string_view crc32c_implementation() {
    return hardware().update != nullptr ? hardware().name : std::string_view("table");
}

} // namespace iscsiscope
