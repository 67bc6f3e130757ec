// SPDX-License-Identifier: GPL-2.0-or-later
// HtmlPage: writes a report's sections as HTML. Every text from the capture passes through escape().
#pragma once

#include "analyzer/report/text/page.h"

#include <map>

namespace iscsiscope::html {

// Escapes text and attribute values in double quotes; bytes that are not valid UTF-8 are shown as \xHH
// (utf8.h).
std::string escape(std::string_view);
// Returns a file name as a relative link.
std::string link_to(std::string_view file);
// "#0072b2"
std::string color(std::uint32_t rgb);

class HtmlPage final : public Page {
public:
    explicit HtmlPage(std::vector<double> quantiles) : quantiles_(std::move(quantiles)) {}

    const std::vector<double> &quantiles() const override { return quantiles_; }
    // Begins a section of its own; its id is the title in lower case, with dashes.
    void heading(std::string_view title, std::string_view note = {}) override;
    void blank() override;
    void line(std::string_view text, std::size_t indent = 2, Tone = Tone::plain) override;
    void headline(std::string_view text, std::string_view label, Tone) override;
    void item(std::string_view label, std::string_view text, Tone = Tone::plain,
              std::size_t indent = 2) override;
    // A long table is closed until the reader opens it; when the page is printed, it is open.
    void table(const TextTable &, std::size_t indent = 2) override;
    void bar(std::string_view label, double share, std::string_view amount, std::string_view words) override;

    // Returns one part of a bar (class "stack") as HTML, to be added by raw(). share: 0..1 of the whole bar.
    std::string stack_part(std::string_view what, double share, std::uint32_t rgb);
    // Adds HTML without escaping.
    void raw(std::string_view html);
    struct Heading {
        std::string id, title;
    };
    const std::vector<Heading> &headings() const { return headings_; }
    // Rules for the style sheet, for what would be style attributes elsewhere: the page's security policy
    // forbids those.
    const std::string &styles() const { return styles_; }
    // Closes all open elements and returns what was written since the last call; headings and styles stay.
    std::string take();

private:
    enum class Open : std::uint8_t { nothing, items, bars };
    void open(Open);
    void close_bars();
    // Returns a class with these declarations.
    std::string style_class(const std::string &declarations);

    std::vector<double> quantiles_;
    std::string out_;
    std::vector<Heading> headings_;
    Open open_ = Open::nothing;
    bool section_ = false, item_ = false, first_in_section_ = false;
    struct Bar {
        std::string label, amount, words;
        double share;
    };
    std::vector<Bar> bars_;
    std::string styles_;
    std::map<std::string, std::string> style_classes_; // by declarations
};

} // namespace iscsiscope::html
