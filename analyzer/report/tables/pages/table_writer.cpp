// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/tables/pages/table_writer.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace iscsiscope {
namespace {

// How much of a record is in its leaf (section 1.6, "U" is the page size): all of a short one; of a longer
// one the beginning, the rest in a chain of pages.
constexpr std::size_t max_whole_record = page_bytes - 35, min_kept_record = (page_bytes - 12) * 32 / 255 - 23;

std::size_t in_leaf(std::size_t size) {
    if (size <= max_whole_record)
        return size;
    const std::size_t full = min_kept_record + (size - min_kept_record) % (page_bytes - 4);
    return full <= max_whole_record ? full : min_kept_record;
}

std::string number_of(std::int64_t row) {
    std::array<unsigned char, max_varint> memory{};
    const unsigned char *end = put_varint(memory.data(), static_cast<std::uint64_t>(row));
    return {reinterpret_cast<const char *>(memory.data()), static_cast<std::size_t>(end - memory.data())};
}

} // namespace

// Returns the first page of the chain: each has the number of the next one in front.
PageNumber TableWriter::write_rest(std::string_view rest) {
    const PageNumber first = file_.next();
    while (!rest.empty()) {
        PageBytes page{};
        const std::size_t n = std::min(rest.size(), page_bytes - 4);
        std::memcpy(page.data() + 4, rest.data(), n);
        rest.remove_prefix(n);
        // The next page follows, but not behind the page that holds nothing.
        const PageNumber own = file_.next();
        put32(page.data(), rest.empty() ? 0 : file_.after(own));
        file_.append(page);
    }
    return first;
}

std::int64_t TableWriter::add(std::string_view record) {
    const std::size_t kept = in_leaf(record.size());
    std::array<unsigned char, 2 * max_varint> front{};
    unsigned char *end = put_varint(front.data(), record.size());
    end = put_varint(end, static_cast<std::uint64_t>(rows_ + 1));
    const auto length = static_cast<std::size_t>(end - front.data());
    const std::size_t size = length + kept + (kept < record.size() ? 4 : 0);
    if (!leaf_.fits(size)) {
        levels_.add(file_.append(leaf_.finish()), number_of(rows_));
        leaf_.clear();
    }
    ++rows_;
    unsigned char *at = leaf_.add(size);
    std::memcpy(at, front.data(), length);
    std::memcpy(at + length, record.data(), kept);
    if (kept < record.size())
        put32(at + length + kept, write_rest(record.substr(kept)));
    return rows_;
}

void TableWriter::finish(PageNumber root) {
    if (levels_.empty())
        file_.replace(root, leaf_.finish());
    else
        levels_.finish(file_.append(leaf_.finish()), root);
}

} // namespace iscsiscope
