// SPDX-License-Identifier: GPL-2.0-or-later
// PageFile: appends pages to a data base that SQLite has begun and does not have open, in the documented form
// of its files (https://www.sqlite.org/fileformat2.html). A row costs a tenth of an INSERT.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace iscsiscope {

using PageNumber = std::uint32_t; // from 1

// The page size of the data base: SQLite's default, and what SqliteFile sets.
inline constexpr std::size_t page_bytes = 4096;
using PageBytes = std::array<unsigned char, page_bytes>;

// Big-endian numbers of 2 and 4 bytes.
void put16(unsigned char *, std::size_t);
void put32(unsigned char *, std::uint32_t);

class PageFile {
public:
    PageFile() = default;
    ~PageFile() { close(); }
    PageFile(const PageFile &) = delete;
    PageFile &operator=(const PageFile &) = delete;

    // Open the data base, and leave it whole to SQLite: not both may have it open. The path must be absolute
    // and without links. After an error, which error() has as an errno value, nothing more is written.
    void open(const std::string &path);
    void close();
    int error() const { return error_; } // 0: none
    PageNumber append(const PageBytes &);
    // The number that the next appended page gets, and the one behind it.
    PageNumber next() const { return after(pages_); }
    static PageNumber after(PageNumber);
    void replace(PageNumber, const PageBytes &);

private:
    void write(const void *, std::size_t size, std::uint64_t at);
    void flush();

    int fd_ = -1;
    int error_ = 0;
    PageNumber pages_ = 0; // in the file and waiting
    std::string waiting_;  // the last pages, to be written at once
};

} // namespace iscsiscope
