// SPDX-License-Identifier: GPL-2.0-or-later
// Page: the interface on which a report's sections write headings, labelled lines, tables and bars.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace iscsiscope {

enum class Tone : std::uint8_t { plain, strong, dim, good, notice, bad, bar };

class TextTable {
public:
    enum class Align : std::uint8_t { left, right };
    // Each heading makes a column; a '<' or '>' in front of it states the alignment.
    explicit TextTable(const std::vector<std::string> &headings);
    // Cells may be fewer than columns; the missing ones are empty.
    void row(std::vector<std::string> cells);

    bool empty() const { return rows_.empty(); }
    const std::vector<Align> &align() const { return align_; }
    const std::vector<std::string> &headings() const { return headings_; }
    const std::vector<std::vector<std::string>> &rows() const { return rows_; }

private:
    std::vector<Align> align_;
    std::vector<std::string> headings_;
    std::vector<std::vector<std::string>> rows_;
};

class Page {
public:
    virtual ~Page() = default;

    // Returns the quantiles that tables show as columns, from 0 to 1.
    virtual const std::vector<double> &quantiles() const = 0;
    // The note is written behind the title, or below it if the line is too short.
    virtual void heading(std::string_view title, std::string_view note = {}) = 0;
    virtual void blank() = 0;
    // A paragraph.
    virtual void line(std::string_view text, std::size_t indent = 2, Tone = Tone::plain) = 0;
    // A line of weight, with a name behind it where there is room.
    virtual void headline(std::string_view text, std::string_view label, Tone) = 0;
    // A label with text beside it; an empty label continues the previous item.
    virtual void item(std::string_view label, std::string_view text, Tone = Tone::plain,
                      std::size_t indent = 2) = 0;
    virtual void table(const TextTable &, std::size_t indent = 2) = 0;
    // "words ████      12.3 %  45.9 ms  label": what took the time, in words, and its name as in the columns,
    // where the line is long enough.
    virtual void bar(std::string_view label, double share, std::string_view amount,
                     std::string_view words) = 0;
};

} // namespace iscsiscope
