// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/iscsi/text/text_keys.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

namespace iscsiscope {
namespace {

constexpr std::size_t max_key = 63;      // RFC 7143 section 6.1
constexpr std::size_t max_value = 65536; // far beyond any defined key (255, CHAP 1024)
constexpr std::size_t max_pairs = 65536; // SendTargets of a large array

// Keys: letters, digits and . - + @ _ ; X#NodeArchitecture and the like need '#' as well, and some
// vendors' keys ':' and '/'. Values may hold any UTF-8.
bool key_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view(".-+@_#:/").find(c) != std::string_view::npos;
}

bool control_character(char c) {
    const auto u = static_cast<unsigned char>(c);
    return u < 0x20 || u == 0x7f;
}

} // namespace

void TextCollector::note(TextError e) {
    if (error_ == TextError::none)
        error_ = e;
}

void TextCollector::end_of_pair() {
    if (std::exchange(in_gap_, false))
        pending_.clear();
    if (pending_.empty())
        return; // some stacks count padding in DataSegmentLength
    const auto equals = pending_.find('=');
    if (equals == std::string::npos)
        note(TextError::no_equals);
    else if (equals == 0 || equals > max_key ||
             !std::all_of(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(equals),
                          key_character))
        note(TextError::bad_key);
    else if (pending_.size() - equals - 1 > max_value ||
             std::any_of(pending_.begin() + static_cast<std::ptrdiff_t>(equals), pending_.end(),
                         control_character))
        note(TextError::bad_value);
    else if (pairs_.size() >= max_pairs)
        note(TextError::too_long);
    else
        pairs_.push_back({pending_.substr(0, equals), pending_.substr(equals + 1)});
    pending_.clear();
}

void TextCollector::add(std::span<const std::byte> segment, bool cut) {
    if (finished_) {
        finished_ = false;
        error_ = TextError::none;
    }
    if (segment.size() > limit_ - bytes_) {
        note(TextError::too_long);
        segment = segment.first(limit_ - bytes_);
    }
    bytes_ += segment.size();
    const auto *p = reinterpret_cast<const char *>(segment.data());
    std::string_view text(p, segment.size());
    while (!text.empty()) {
        const auto zero = text.find('\0');
        pending_.append(text.substr(0, zero));
        if (zero == std::string_view::npos)
            break;
        end_of_pair();
        text.remove_prefix(zero + 1);
    }
    if (cut) {
        note(TextError::not_terminated);
        in_gap_ = true;
    }
}

std::vector<KeyValue> TextCollector::finish() {
    if (!pending_.empty()) {
        note(TextError::not_terminated);
        pending_.clear();
    }
    in_gap_ = false;
    finished_ = true;
    bytes_ = 0;
    return std::exchange(pairs_, {});
}

std::vector<KeyValue> parse_text(std::span<const std::byte> text, TextError *error) {
    TextCollector collector;
    collector.add(text);
    auto pairs = collector.finish();
    if (error != nullptr)
        *error = collector.error();
    return pairs;
}

std::vector<std::byte> build_text(std::span<const KeyValue> pairs) {
    std::vector<std::byte> out;
    const auto put = [&out](std::string_view s) {
        std::ranges::transform(s, std::back_inserter(out), [](char c) { return static_cast<std::byte>(c); });
    };
    for (const auto &pair : pairs) {
        put(pair.key);
        put("=");
        put(pair.value);
        out.push_back(std::byte{0});
    }
    return out;
}

const std::string *find_value(std::span<const KeyValue> pairs, std::string_view key) {
    const auto it = std::ranges::find(pairs, key, &KeyValue::key);
    return it == pairs.end() ? nullptr : &it->value;
}

bool parse_number(std::string_view text, std::uint64_t &value) {
    int base = 10;
    if (text.starts_with("0x") || text.starts_with("0X")) {
        text.remove_prefix(2);
        base = 16;
    }
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value, base);
    return result.ec == std::errc() && result.ptr == text.data() + text.size() && !text.empty();
}

} // namespace iscsiscope
