// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string_view>
#include <vector>

inline std::vector<std::byte> bytes(std::initializer_list<int> values) {
    std::vector<std::byte> out;
    for (const int v : values)
        out.push_back(static_cast<std::byte>(v));
    return out;
}

inline std::vector<std::byte> bytes(std::string_view text) {
    std::vector<std::byte> out;
    for (const char c : text)
        out.push_back(static_cast<std::byte>(c));
    return out;
}

inline std::vector<std::byte> operator+(std::vector<std::byte> a, const std::vector<std::byte> &b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}
