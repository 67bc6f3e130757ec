// SPDX-License-Identifier: GPL-2.0-or-later
// Bytes in either order, for building files and packets by hand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace capture_test {

using Bytes = std::vector<std::byte>;

enum class Order : std::uint8_t { little, big };

class Writer {
public:
    explicit Writer(Order order = Order::big) : order_(order) {} // big: network order

    Writer &number(std::uint64_t value, unsigned size) {
        for (unsigned i = 0; i < size; ++i) {
            const unsigned shift = 8 * (order_ == Order::big ? size - 1 - i : i);
            bytes_.push_back(static_cast<std::byte>(value >> shift & 0xff));
        }
        return *this;
    }
    Writer &u8(std::uint64_t v) { return number(v, 1); }
    Writer &u16(std::uint64_t v) { return number(v, 2); }
    Writer &u32(std::uint64_t v) { return number(v, 4); }
    Writer &u64(std::uint64_t v) { return number(v, 8); }
    Writer &bytes(const Bytes &more) {
        bytes_.insert(bytes_.end(), more.begin(), more.end());
        return *this;
    }
    Writer &text(std::string_view more) {
        for (const char c : more)
            u8(static_cast<unsigned char>(c));
        return *this;
    }
    Writer &zeros(std::size_t count) {
        bytes_.insert(bytes_.end(), count, std::byte{0});
        return *this;
    }
    Writer &pad_to_4() { return zeros((4 - bytes_.size() % 4) % 4); }

    const Bytes &done() const { return bytes_; }
    std::size_t size() const { return bytes_.size(); }
    Order order() const { return order_; }

private:
    Order order_;
    Bytes bytes_;
};

// `count` bytes that differ from their neighbours and by `seed`.
inline Bytes pattern(std::size_t count, unsigned seed = 0) {
    Bytes bytes(count);
    for (std::size_t i = 0; i < count; ++i)
        bytes[i] = static_cast<std::byte>((i * 7 + seed * 13 + i / 251) & 0xff);
    return bytes;
}

} // namespace capture_test
