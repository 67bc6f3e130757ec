// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/tables/pages/tree_levels.h"

#include <algorithm>

namespace iscsiscope {

unsigned char *PageBuilder::add(std::size_t bytes) {
    begin_ -= bytes;
    put16(page_.data() + header_ + 2 * cells_, begin_);
    ++cells_;
    last_ = bytes;
    return page_.data() + begin_;
}

std::string PageBuilder::take_last() {
    std::string cell(reinterpret_cast<const char *>(page_.data()) + begin_, last_);
    begin_ += last_;
    --cells_;
    return cell;
}

const PageBytes &PageBuilder::finish(PageNumber right) {
    page_[0] = static_cast<unsigned char>(kind_);
    put16(page_.data() + 1, 0); // no free blocks
    put16(page_.data() + 3, cells_);
    put16(page_.data() + 5, begin_);
    page_[7] = 0; // no fragments
    if (header_ == inner_header)
        put32(page_.data() + 8, right);
    const std::size_t pointers = header_ + 2 * cells_;
    std::fill(page_.begin() + static_cast<std::ptrdiff_t>(pointers),
              page_.begin() + static_cast<std::ptrdiff_t>(begin_), static_cast<unsigned char>(0));
    return page_;
}

void PageBuilder::clear() {
    cells_ = 0;
    begin_ = page_bytes;
}

TreeLevels::TreeLevels(PageFile &file, PageKind inner, std::size_t cell)
    : file_(file), max_((page_bytes - inner_header) / (2 + 4 + cell)), page_(inner, inner_header) {}

const PageBytes &TreeLevels::page_of(const Entry *first, std::size_t count, PageNumber right) {
    page_.clear();
    for (const Entry *e = first; e != first + count; ++e) {
        unsigned char *at = page_.add(4 + e->key.size());
        put32(at, e->child);
        std::copy(e->key.begin(), e->key.end(), at + 4);
    }
    return page_.finish(right);
}

void TreeLevels::write_first(std::size_t level, std::size_t count) {
    Level &all = levels_[level];
    const PageNumber page = file_.append(page_of(all.data(), count, all[count].child));
    std::string key = std::move(all[count].key);
    all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count + 1));
    add(level + 1, page, std::move(key));
}

// Half of the entries wait, so that the last page of a level is not nearly empty.
void TreeLevels::add(std::size_t level, PageNumber child, std::string key) {
    if (level == levels_.size())
        levels_.emplace_back();
    levels_[level].push_back({child, std::move(key)});
    if (levels_[level].size() == 2 * max_)
        write_first(level, max_);
}

void TreeLevels::finish(PageNumber last, PageNumber root) {
    for (std::size_t level = 0; level < levels_.size(); ++level) {
        if (levels_[level].size() > max_)
            write_first(level, levels_[level].size() / 2);
        const Level &all = levels_[level];
        const PageBytes &page = page_of(all.data(), all.size(), last);
        if (level + 1 == levels_.size())
            file_.replace(root, page);
        else
            last = file_.append(page);
    }
}

} // namespace iscsiscope
