// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/tables/pages/record.h"

#include "analyzer/base/text/utf8.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>

namespace iscsiscope {
namespace {

// Serial types (section 2.1).
constexpr std::uint64_t null_type = 0, real_type = 7, zero_type = 8, one_type = 9, first_text_type = 13;

} // namespace

unsigned char *put_varint(unsigned char *at, std::uint64_t v) {
    if (v < 0x80) {
        *at = static_cast<unsigned char>(v);
        return at + 1;
    }
    if (v >> 56U != 0) { // nine bytes, of which the last one has eight bits
        at[8] = static_cast<unsigned char>(v);
        v >>= 8U;
        for (std::size_t i = 8; i-- > 0; v >>= 7U)
            at[i] = static_cast<unsigned char>(v | 0x80U);
        return at + 9;
    }
    const std::size_t count = (static_cast<std::size_t>(std::bit_width(v)) + 6) / 7;
    for (std::size_t i = count; i-- > 0; v >>= 7U)
        at[i] = static_cast<unsigned char>((v & 0x7fU) | (i + 1 == count ? 0U : 0x80U));
    return at + count;
}

void Record::make_room(std::string &text, std::size_t size) {
    if (text.size() < size)
        text.resize(2 * size);
}

void Record::clear() {
    whole_end_ = max_varint;
    body_end_ = 0;
}

void Record::type(std::uint64_t t) {
    make_room(whole_, whole_end_ + max_varint);
    auto *const at = reinterpret_cast<unsigned char *>(whole_.data()) + whole_end_;
    whole_end_ += static_cast<std::size_t>(put_varint(at, t) - at);
}

// Big-endian, the low bytes; those behind them are written over by the next value.
void Record::bytes(std::uint64_t value, unsigned count) {
    make_room(body_, body_end_ + sizeof value);
    value <<= 64U - 8U * count;
    if constexpr (std::endian::native == std::endian::little)
        value = __builtin_bswap64(value);
    std::memcpy(body_.data() + body_end_, &value, sizeof value);
    body_end_ += count;
}

void Record::add_integer(std::int64_t v) {
    if (v == 0 || v == 1)
        return type(v == 0 ? zero_type : one_type);
    // Bits of the two's complement, the sign's included.
    const unsigned bits =
        static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(v < 0 ? ~v : v))) + 1;
    // By the bytes that are needed the bytes that are taken, and by these the type.
    constexpr std::array<unsigned char, 9> bytes_of{1, 1, 2, 3, 4, 6, 6, 8, 8};
    constexpr std::array<unsigned char, 9> type_of{0, 1, 2, 3, 4, 0, 5, 0, 6};
    const unsigned count = bytes_of[(bits + 7) / 8];
    type(type_of[count]);
    bytes(static_cast<std::uint64_t>(v), count);
}

void Record::add_text(std::string_view s) {
    type(first_text_type + 2 * s.size());
    make_room(body_, body_end_ + s.size() + 1);
    std::copy(s.begin(), s.end(), body_.begin() + static_cast<std::ptrdiff_t>(body_end_));
    body_end_ += s.size();
}

// Numbers from 2^63 on do not fit SQLite's integers: they become real numbers, as its own conversion makes
// them.
void Record::add(const Value &v) {
    switch (v.type()) {
    case ValueType::unknown:
        type(null_type);
        break;
    case ValueType::integer:
        add_integer(v.as_integer());
        break;
    case ValueType::natural:
        if (v.as_natural() <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
            add_integer(static_cast<std::int64_t>(v.as_natural()));
        else
            add(Value::number(static_cast<double>(v.as_natural())));
        break;
    case ValueType::number:
        if (v.as_number() != v.as_number()) { // SQLite has no NaN
            type(null_type);
        } else {
            type(real_type);
            bytes(std::bit_cast<std::uint64_t>(v.as_number()), 8);
        }
        break;
    case ValueType::boolean:
        type(v.as_boolean() ? one_type : zero_type);
        break;
    case ValueType::text:
        if (is_utf8(v.as_text()))
            add_text(v.as_text());
        else
            add_text(utf8_text(v.as_text()));
        break;
    }
}

std::string_view Record::finish() {
    // The length of the header counts itself.
    const std::size_t types = whole_end_ - max_varint;
    const std::size_t own = types + 1 < 0x80 ? 1 : types + 2 < 0x4000 ? 2 : 3;
    put_varint(reinterpret_cast<unsigned char *>(whole_.data()) + max_varint - own, types + own);
    make_room(whole_, whole_end_ + body_end_);
    std::copy_n(body_.begin(), body_end_, whole_.begin() + static_cast<std::ptrdiff_t>(whole_end_));
    return std::string_view(whole_).substr(max_varint - own, own + types + body_end_);
}

} // namespace iscsiscope
