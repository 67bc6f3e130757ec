// SPDX-License-Identifier: GPL-2.0-or-later
// Record: a row in the form in which SQLite stores it
// (https://www.sqlite.org/fileformat2.html#record_format).
#pragma once

#include "analyzer/base/value.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace iscsiscope {

// Writes a variable-length integer of 1 to 9 bytes (section 1.6); returns its end.
unsigned char *put_varint(unsigned char *, std::uint64_t);
constexpr std::size_t max_varint = 9;

class Record {
public:
    void clear();
    void add(const Value &);
    void add_integer(std::int64_t);
    void add_text(std::string_view); // UTF-8
    // Returns the whole record, valid until the next call.
    std::string_view finish();

private:
    void type(std::uint64_t);
    void bytes(std::uint64_t value, unsigned count);
    static void make_room(std::string &, std::size_t size);

    // Both are longer than what they hold.
    std::string whole_, body_;
    std::size_t whole_end_ = 0, body_end_ = 0; // room for the length of the header and the types; the values
};

} // namespace iscsiscope
