// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/html/html_page.h"

#include "analyzer/base/glossary/glossary.h"
#include "analyzer/base/number_format.h"
#include "analyzer/base/text/utf8.h"
#include "analyzer/report/html/cell_words.h"
#include "analyzer/report/palette.h"
#include "analyzer/words/identifier_words.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace iscsiscope::html {
namespace {

// A table with more rows is closed until the reader opens it; the first of a section may have more.
constexpr std::size_t rows_shown = 10, rows_shown_first = 24;
// On a narrow screen a table with as many columns shows each row as a list of its own.
constexpr std::size_t columns_side_by_side = 6;

std::string_view tone_class(Tone t) {
    switch (t) {
    case Tone::plain:
    case Tone::bar:
        return "";
    case Tone::strong:
        return " class=\"strong\"";
    case Tone::dim:
        return " class=\"dim\"";
    case Tone::good:
        return " class=\"good\"";
    case Tone::notice:
        return " class=\"notice\"";
    case Tone::bad:
        return " class=\"bad\"";
    }
    return "";
}

// `code` becomes <code>.
std::string rich(std::string_view text) {
    std::string out;
    bool code = false;
    while (!text.empty()) {
        const auto tick = text.find('`');
        out += escape(text.substr(0, tick));
        if (tick == std::string_view::npos)
            break;
        code = !code;
        out += code ? "<code>" : "</code>";
        text.remove_prefix(tick + 1);
    }
    return out + (code ? "</code>" : "");
}

// Terminal headings are in capitals. Returns one in lower case, apart from abbreviations and names.
std::string sentence_case(std::string_view title) {
    constexpr std::array<std::string_view, 8> kept = {"TCP",   "R2T",  "LUN", "PDU",
                                                      "iSCSI", "SCSI", "NOP", "RFC"};
    std::string out;
    bool first = true;
    while (!title.empty()) {
        const auto space = title.find(' ');
        std::string word(title.substr(0, space));
        if (word == "LUNS") {
            word = "LUNs";
        } else if (std::find(kept.begin(), kept.end(), word) == kept.end()) {
            std::transform(word.begin(), word.end(), word.begin(), [](char c) {
                return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
            });
            if (first && word[0] >= 'a' && word[0] <= 'z')
                word[0] = static_cast<char>(word[0] - 'a' + 'A');
        }
        first = false;
        out += (out.empty() ? "" : " ") + word;
        if (space == std::string_view::npos)
            break;
        title.remove_prefix(space + 1);
    }
    return out;
}

// Returns the glossary's sentence as a tooltip, behind the label itself where words stand for it; empty if
// the label has no entry.
std::string tooltip(std::string_view label, bool with_label = false) {
    const std::string_view meaning = meaning_of(label);
    if (meaning.empty() && !with_label)
        return "";
    return fmt::format(" title=\"{}{}{}\"", with_label ? escape(label) : "",
                       with_label && !meaning.empty() ? ": " : "", escape(meaning));
}

// True for a column whose cells begin with the name of a time of a cycle or of a kind of gap.
bool names_times(std::string_view heading) {
    return heading == "time" || heading == "kind" || heading == "one solicited burst" ||
           heading == "longest phase";
}

bool is_number(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// The text of a cell with words for an identifier at its begin, which becomes a tooltip.
std::string cell_words(std::string_view text, bool of_times) {
    std::size_t length = 0;
    const std::string_view words = of_times ? time_at_begin(text, length) : words_at_begin(text, length);
    if (words.empty())
        return escape(text);
    const std::string span =
        fmt::format("<span{}>{}</span>", tooltip(text.substr(0, length), true), escape(words));
    return length == text.size() ? span : fmt::format("<span>{}{}</span>", span, escape(text.substr(length)));
}

std::uint32_t color_of(std::string_view label) {
    for (std::size_t k = 0; k < gap_kind_count; ++k)
        if (name(static_cast<GapKind>(k)) == label)
            return palette::of(static_cast<GapKind>(k));
    for (std::size_t f = 0; f < cycle_figure_count; ++f)
        if (name(static_cast<CycleFigure>(f)) == label)
            return palette::of(static_cast<CycleFigure>(f));
    for (std::size_t o = 0; o < owner_count; ++o)
        if (owner_names[o] == label)
            return palette::of(static_cast<Owner>(o));
    return palette::transfer;
}

} // namespace

std::string escape(std::string_view s) {
    std::string out;
    while (!s.empty()) {
        const std::size_t n = utf8_sequence(s);
        if (n == 0) {
            const auto shown = escaped_byte(s.front());
            out.append(shown.data(), shown.size());
            s.remove_prefix(1);
            continue;
        }
        switch (s.front()) {
        case '&':
            out += "&amp;";
            break;
        case '<':
            out += "&lt;";
            break;
        case '>':
            out += "&gt;";
            break;
        case '"':
            out += "&quot;";
            break;
        case '\'':
            out += "&#39;";
            break;
        default:
            out += static_cast<unsigned char>(s.front()) < 0x20 && s.front() != '\n' ? " " : s.substr(0, n);
        }
        s.remove_prefix(n);
    }
    return out;
}

std::string link_to(std::string_view file) {
    std::string out = "./"; // so that no name reads as a scheme
    for (const char c : file) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                           c == '.' || c == '-' || c == '_';
        out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return out;
}

std::string color(std::uint32_t rgb) {
    return fmt::format("#{:06x}", rgb);
}

std::string HtmlPage::style_class(const std::string &declarations) {
    const auto [at, fresh] = style_classes_.try_emplace(declarations);
    if (fresh) {
        at->second = fmt::format("y{}", style_classes_.size());
        styles_ += fmt::format(".{}{{{}}}\n", at->second, declarations);
    }
    return at->second;
}

std::string HtmlPage::stack_part(std::string_view what, double share, std::uint32_t rgb) {
    return fmt::format("<span class=\"{}\" title=\"{} {}\"></span>",
                       style_class(fmt::format("width:{:.3f}%;background:{}", share * 100, color(rgb))),
                       escape(what), human::share(share));
}

void HtmlPage::close_bars() {
    const auto words = [](const Bar &b) {
        const std::string_view plain = plain_words(b.label);
        return plain.empty() ? std::string_view(b.label) : plain;
    };
    out_ += "<div class=\"stack\" aria-hidden=\"true\">";
    for (const Bar &b : bars_)
        out_ += stack_part(words(b), b.share, color_of(b.label));
    out_ += "</div>\n<table class=\"bars\"><tbody>\n";
    for (const Bar &b : bars_) {
        const bool plain = words(b) != b.label;
        out_ += fmt::format(
            "<tr><td><i class=\"swatch {}\"></i><span{}>{}</span>{}</td><td class=\"n\">{}</td><td "
            "class=\"n\">{}</td></tr>\n",
            style_class(fmt::format("background:{}", color(color_of(b.label)))), tooltip(b.label, plain),
            escape(words(b)),
            plain || b.words.empty() ? "" : fmt::format(" <span class=\"dim\">{}</span>", escape(b.words)),
            human::share(b.share), escape(b.amount));
    }
    out_ += "</tbody></table>\n";
    bars_.clear();
}

void HtmlPage::open(Open wanted) {
    if (open_ == wanted)
        return;
    if (open_ == Open::items) {
        out_ += item_ ? "</td></tr></table>\n" : "</table>\n";
        item_ = false;
    } else if (open_ == Open::bars) {
        close_bars();
    }
    open_ = wanted;
    if (wanted == Open::items)
        out_ += "<table class=\"items\">\n";
}

void HtmlPage::heading(std::string_view title, std::string_view note) {
    open(Open::nothing);
    const std::string shown = sentence_case(title);
    std::string id;
    for (const char c : shown) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        id += plain ? c : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : '-';
    }
    out_ += section_ ? "</section>\n" : "";
    section_ = true;
    out_ += fmt::format("<section id=\"{}\"><h2>{}</h2>\n", id, escape(shown));
    if (!note.empty())
        out_ += fmt::format("<p class=\"note\">{}</p>\n", rich(note));
    headings_.push_back({id, shown});
    first_in_section_ = true;
}

void HtmlPage::blank() {
    open(Open::nothing);
}

void HtmlPage::line(std::string_view text, std::size_t, Tone tone) {
    open(Open::nothing);
    out_ += fmt::format("<p{}>{}</p>\n", tone_class(tone), rich(text));
}

void HtmlPage::headline(std::string_view text, std::string_view label, Tone tone) {
    line(fmt::format("{} {}", text, label), 2, tone);
}

void HtmlPage::item(std::string_view label, std::string_view text, Tone tone, std::size_t) {
    open(Open::items);
    first_in_section_ = false;
    if (label.empty() && item_) {
        out_ += fmt::format("<br><span{}>{}</span>", tone_class(tone), rich(text));
        return;
    }
    out_ += item_ ? "</td></tr>\n" : "";
    out_ += fmt::format("<tr><th scope=\"row\"{}>{}</th><td><span{}>{}</span>", tooltip(label), escape(label),
                        tone_class(tone), rich(text));
    item_ = true;
}

void HtmlPage::table(const TextTable &t, std::size_t) {
    open(Open::nothing);
    const bool many = t.headings().size() >= columns_side_by_side;
    const bool fold = t.rows().size() > (first_in_section_ ? rows_shown_first : rows_shown);
    first_in_section_ = false;
    const auto align = [&](std::size_t i) {
        return t.align()[i] == TextTable::Align::right ? " class=\"n\"" : "";
    };
    if (fold) {
        out_ += fmt::format("<details class=\"fold\"><summary>{}: {}</summary>\n",
                            human::plural(t.rows().size(), "row", "rows"),
                            escape(fmt::format("{}", fmt::join(t.headings(), ", "))));
    }
    out_ += fmt::format("<div class=\"wide\"><table{}><thead><tr>", many ? " class=\"many\"" : "");
    for (std::size_t i = 0; i < t.headings().size(); ++i)
        out_ += fmt::format("<th scope=\"col\"{}{}>{}</th>", tooltip(t.headings()[i]), align(i),
                            escape(t.headings()[i]));
    out_ += "</tr></thead><tbody>\n";
    std::string_view of; // the first cell of the latest row that had one
    for (const auto &row : t.rows()) {
        out_ += "<tr>";
        of = row[0].empty() ? of : std::string_view(row[0]);
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string words = cell_words(row[i], names_times(t.headings()[i]));
            std::string list; // for the row as a list of its own
            if (many) {
                list = fmt::format(" data-label=\"{}\"", escape(t.headings()[i]));
                if (i == 0)
                    list += row[0].empty()      ? fmt::format(" data-of=\"{}\"", escape(of))
                            : is_number(row[0]) ? " data-number=\"\""
                                                : "";
            }
            out_ +=
                fmt::format("<td{}{}{}>{}</td>", i == 0 && words == row[i] ? tooltip(row[i]) : std::string{},
                            list, align(i), words);
        }
        out_ += "</tr>\n";
    }
    out_ += fold ? "</tbody></table></div></details>\n" : "</tbody></table></div>\n";
}

void HtmlPage::bar(std::string_view label, double share, std::string_view amount, std::string_view words) {
    open(Open::bars);
    // On a page of text the words begin with the label where the label has no column of its own.
    if (words.starts_with(label) && words.substr(label.size()).starts_with(": "))
        words.remove_prefix(label.size() + 2);
    bars_.push_back({std::string(label), std::string(amount), std::string(words), share});
}

void HtmlPage::raw(std::string_view html) {
    open(Open::nothing);
    out_ += html;
}

std::string HtmlPage::take() {
    open(Open::nothing);
    out_ += section_ ? "</section>\n" : "";
    section_ = false;
    return std::move(out_);
}

} // namespace iscsiscope::html
