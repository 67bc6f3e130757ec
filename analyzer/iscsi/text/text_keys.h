// SPDX-License-Identifier: GPL-2.0-or-later
// The key=value lists of Login and Text PDUs (RFC 7143 section 6.1): collecting, parsing and building them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace iscsiscope {

struct KeyValue {
    std::string key;
    std::string value;
    friend bool operator==(const KeyValue &, const KeyValue &) = default;
};

enum class TextError : std::uint8_t {
    none,
    no_equals,      // a pair without '='
    bad_key,        // a key that is empty, over 63 bytes, or has a byte outside RFC 7143 section 6.1
    bad_value,      // a control character, or over 64 KiB
    not_terminated, // the text ended inside a pair
    too_long,       // more text than the limit; the text before is kept
};

// Collects one text: the data segments of a PDU and of those that continue it (C bit). The limit bounds its
// memory. A pair that cannot be parsed is skipped; the first error is kept.
class TextCollector {
public:
    static constexpr std::size_t default_limit = std::size_t{1} << 20; // bytes of text

    explicit TextCollector(std::size_t limit = default_limit) : limit_(limit) {}

    // A data segment without its padding; `cut` if bytes of it are missing at the end.
    void add(std::span<const std::byte> segment, bool cut = false);
    // The text is complete: parses the rest and returns the pairs in order. The collector is empty
    // afterwards; error() is kept until the next add().
    std::vector<KeyValue> finish();

    TextError error() const { return error_; }
    std::size_t size() const { return bytes_; } // bytes added since the last finish

private:
    void end_of_pair();
    void note(TextError e);

    std::size_t limit_;
    std::size_t bytes_ = 0;
    bool finished_ = false;
    TextError error_ = TextError::none;
    bool in_gap_ = false; // bytes were missing: the bytes up to the next zero byte are part of a pair
    std::string pending_; // a pair not yet ended by its zero byte
    std::vector<KeyValue> pairs_;
};

// The same for a text that is complete in memory.
std::vector<KeyValue> parse_text(std::span<const std::byte> text, TextError *error = nullptr);

// Returns the data segment: key=value and a zero byte for each pair.
std::vector<std::byte> build_text(std::span<const KeyValue>);

// The first pair of this key (keys are case-sensitive); null if there is none.
const std::string *find_value(std::span<const KeyValue>, std::string_view key);

// Parses a numerical value: decimal, or hexadecimal after 0x (RFC 7143 section 6.1). Returns false if it is
// no number or does not fit.
bool parse_number(std::string_view text, std::uint64_t &value);

} // namespace iscsiscope
