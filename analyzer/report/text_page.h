// SPDX-License-Identifier: GPL-2.0-or-later
// A page of plain text: headings, labelled lines, tables, bars.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace iscsiscope {

struct TextStyle {
    bool color = false; // ANSI escapes
    bool utf8 = true;   // else µ, arrows and bars are spelt in ASCII
    std::size_t width = 96;
    std::vector<double> quantiles = {0.5, 0.9, 0.99}; // 0..1, as columns
};

enum class Tone : std::uint8_t { plain, strong, dim, good, notice, bad, bar };

// Columns on the terminal.
std::size_t display_width(std::string_view);

class TextTable {
public:
    enum class Align : std::uint8_t { left, right };
    // One column a heading; '<' or '>' in front of it says how it is aligned.
    explicit TextTable(std::vector<std::string> headings);
    // Fewer cells than columns: the rest is empty.
    void row(std::vector<std::string> cells);
    bool empty() const { return rows_.empty(); }

private:
    friend class TextPage;
    std::vector<Align> align_;
    std::vector<std::string> headings_;
    std::vector<std::vector<std::string>> rows_;
};

class TextPage {
public:
    explicit TextPage(const TextStyle &style) : style_(style) {}

    const TextStyle &style() const { return style_; }
    void heading(std::string_view title, std::string_view note = {});
    void blank();
    // Wrapped at the page's width, continued at the same indent.
    void line(std::string_view text, std::size_t indent = 2, Tone = Tone::plain);
    // A label of fixed width, then text wrapped beside it.
    void item(std::string_view label, std::string_view text, Tone = Tone::plain, std::size_t indent = 2);
    void table(const TextTable &, std::size_t indent = 2);
    // "name ████      12.3 %  extra"
    void bar(std::string_view label, double share, std::string_view extra);
    std::string finish();

private:
    void put(std::string_view text, Tone);
    void wrapped(std::string_view text, std::size_t indent, std::size_t used, Tone);

    TextStyle style_;
    std::string out_;
};

} // namespace iscsiscope
