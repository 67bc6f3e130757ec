// SPDX-License-Identifier: GPL-2.0-or-later
// TextPage: a page of plain text for terminals and files.
#pragma once

#include "analyzer/report/text/page.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace iscsiscope {

struct TextStyle {
    bool color = false;                               // ANSI escapes
    bool utf8 = true;                                 // false: µ, arrows and bars are written in ASCII
    std::size_t width = 80;                           // columns of a line; a longer word stands alone
    std::vector<double> quantiles = {0.5, 0.9, 0.99}; // 0..1, as columns
};

// Returns the number of columns that a text takes on a terminal.
std::size_t display_width(std::string_view);

class TextPage final : public Page {
public:
    explicit TextPage(const TextStyle &style) : style_(style) {}

    const std::vector<double> &quantiles() const override { return style_.quantiles; }
    void heading(std::string_view title, std::string_view note = {}) override;
    void blank() override;
    // Wrapped at the page's width, continued at the same indent.
    void line(std::string_view text, std::size_t indent = 2, Tone = Tone::plain) override;
    void headline(std::string_view text, std::string_view label, Tone) override;
    // A label of fixed width, then text wrapped beside it.
    void item(std::string_view label, std::string_view text, Tone = Tone::plain,
              std::size_t indent = 2) override;
    // A table wider than the page is continued below itself, its first column repeated.
    void table(const TextTable &, std::size_t indent = 2) override;
    void bar(std::string_view label, double share, std::string_view amount, std::string_view words) override;
    std::string finish();

private:
    // The columns [first, end) of a table, with the first column in front of them if it is not among them.
    void table_part(const TextTable &, const std::vector<std::size_t> &widths, std::size_t first,
                    std::size_t end, std::size_t indent);
    void put(std::string_view text, Tone);
    void wrapped(std::string_view text, std::size_t indent, std::size_t used, Tone);

    TextStyle style_;
    std::string out_;
};

} // namespace iscsiscope
