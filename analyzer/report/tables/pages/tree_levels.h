// SPDX-License-Identifier: GPL-2.0-or-later
// TreeLevels: the inner pages of a b-tree whose leaves are written in the order of their keys
// (https://www.sqlite.org/fileformat2.html#b_tree_pages), in memory of a few pages.
#pragma once

#include "analyzer/report/tables/pages/page_file.h"

#include <cstddef>
#include <string>
#include <vector>

namespace iscsiscope {

// The kinds of pages, as their first byte states them.
enum class PageKind : unsigned char { index_inner = 2, table_inner = 5, index_leaf = 10, table_leaf = 13 };
constexpr std::size_t leaf_header = 8, inner_header = 12;

// A page that is filled cell by cell, in the order of keys.
class PageBuilder {
public:
    PageBuilder(PageKind kind, std::size_t header) : kind_(kind), header_(header) {}
    bool empty() const { return cells_ == 0; }
    std::size_t cells() const { return cells_; }
    // Whether a further cell of so many bytes fits.
    bool fits(std::size_t bytes) const { return header_ + 2 * (cells_ + 1) + bytes <= begin_; }
    // Returns where the cell's bytes belong. It must fit.
    unsigned char *add(std::size_t bytes);
    // Removes the cell that was added last and returns its bytes.
    std::string take_last();
    // Returns the whole page; right: the child behind all cells, of an inner page.
    const PageBytes &finish(PageNumber right = 0);
    void clear();

private:
    PageKind kind_;
    std::size_t header_, cells_ = 0, begin_ = page_bytes; // of the cells' bytes
    std::size_t last_ = 0;                                // bytes of the cell that was added last
    PageBytes page_{};
};

class TreeLevels {
public:
    // cell: most bytes of a cell of an inner page, without the number of its child.
    TreeLevels(PageFile &file, PageKind inner, std::size_t cell);

    // A leaf, or an inner page of a level, is complete. key: the cell that follows it, without the child.
    void add(PageNumber child, std::string key) { add(0, child, std::move(key)); }
    bool empty() const { return levels_.empty(); }
    // Writes all inner pages; last: the last leaf. add() was called before.
    void finish(PageNumber last, PageNumber root);

private:
    struct Entry {
        PageNumber child;
        std::string key;
    };
    using Level = std::vector<Entry>;

    void add(std::size_t level, PageNumber child, std::string key);
    // Writes the first `count` entries as a page, whose right child is that of the next one, which goes up.
    void write_first(std::size_t level, std::size_t count);
    const PageBytes &page_of(const Entry *first, std::size_t count, PageNumber right);

    PageFile &file_;
    std::size_t max_; // entries of a page
    PageBuilder page_;
    std::vector<Level> levels_; // entries that are not in a page yet, from the leaves up
};

} // namespace iscsiscope
