// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/text/text_page.h"

#include "analyzer/base/number_format.h"
#include "analyzer/base/text/ascii.h"
#include "analyzer/base/text/utf8.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace iscsiscope {
namespace {

constexpr std::size_t label_width = 15;
constexpr std::size_t between = 2;         // columns of a table
constexpr std::size_t narrowest_text = 14; // of a table's last column
constexpr std::size_t bar_words_width = 42;
constexpr std::size_t bar_width = 10;
constexpr std::size_t longest_name = 24; // of a gap kind or phase

std::string_view escape(Tone t) {
    switch (t) {
    case Tone::plain:
        return "";
    case Tone::strong:
        return "\x1b[1m";
    case Tone::dim:
        return "\x1b[2m";
    case Tone::good:
        return "\x1b[32m";
    case Tone::notice:
        return "\x1b[33m";
    case Tone::bad:
        return "\x1b[31m";
    case Tone::bar:
        return "\x1b[36m";
    }
    return "";
}

std::string padded(std::string_view text, std::size_t width, TextTable::Align align) {
    const std::size_t w = display_width(text);
    const std::string gap(width > w ? width - w : 0, ' ');
    return align == TextTable::Align::left ? std::string(text) + gap : gap + std::string(text);
}

// True if the text begins with a unit: a number is not separated from it.
bool begins_with_unit(std::string_view text) {
    constexpr std::array<std::string_view, 19> units = {"ns",   "µs",   "ms",   "s",   "%",   "B",  "kB",
                                                        "MB",   "GB",   "KiB",  "MiB", "GiB", "us", "B/s",
                                                        "kB/s", "MB/s", "GB/s", "TB",  "IOPS"};
    const std::string_view word = text.substr(0, text.find_first_of(" ,.;:)"));
    return std::find(units.begin(), units.end(), word) != units.end();
}

// True if the line may end at this space.
bool may_break(std::string_view text, std::size_t space) {
    return !is_digit(text[space - 1]) || !begins_with_unit(text.substr(space + 1));
}

// Returns how many bytes of a text fit into `room` columns: all, or those before the last space that fits. A
// word longer than the line is not broken.
std::size_t line_break(std::string_view text, std::size_t room) {
    if (display_width(text) <= room)
        return text.size();
    std::size_t columns = 0, space = 0;
    for (std::size_t at = 0; at < text.size() && (columns <= room || space == 0); ++at) {
        columns += (static_cast<unsigned char>(text[at]) & 0xc0) != 0x80 ? 1 : 0;
        if (text[at] == ' ' && at > 0 && (columns <= room + 1 || space == 0) && may_break(text, at))
            space = at;
    }
    return space != 0 ? space : text.size();
}

void trim_right(std::string &s) {
    s.erase(s.find_last_not_of(' ') + 1);
}

// The characters beyond ASCII that reports use.
std::string in_ascii(std::string_view text) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 7> spelt = {
        {{"µ", "u"}, {"→", "->"}, {"█", "#"}, {"▌", "#"}, {"·", "."}, {"–", "-"}, {"≤", "<="}}};
    std::string out;
    while (!text.empty()) {
        const auto hit = std::find_if(spelt.begin(), spelt.end(),
                                      [&](const auto &pair) { return text.starts_with(pair.first); });
        if (hit != spelt.end()) {
            out += hit->second;
            text.remove_prefix(hit->first.size());
            continue;
        }
        const char c = text.front();
        if (static_cast<unsigned char>(c) < 0x80)
            out += c;
        else if ((static_cast<unsigned char>(c) & 0xc0) == 0xc0)
            out += '?';
        text.remove_prefix(1);
    }
    return out;
}

} // namespace

std::size_t display_width(std::string_view s) {
    return static_cast<std::size_t>(std::count_if(
        s.begin(), s.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

TextTable::TextTable(const std::vector<std::string> &headings) {
    for (const std::string &h : headings) {
        align_.push_back(h.starts_with('>') ? Align::right : Align::left);
        headings_.push_back(h.substr(1));
    }
}

void TextTable::row(std::vector<std::string> cells) {
    cells.resize(headings_.size());
    rows_.push_back(std::move(cells));
}

void TextPage::put(std::string_view text, Tone tone) {
    if (style_.color && tone != Tone::plain) {
        out_ += escape(tone);
        out_ += text;
        out_ += "\x1b[0m";
    } else {
        out_ += text;
    }
}

void TextPage::heading(std::string_view title, std::string_view note) {
    if (!out_.empty())
        out_ += '\n';
    put(title, Tone::strong);
    const bool fits = display_width(title) + between + display_width(note) <= style_.width;
    if (!note.empty() && fits) {
        out_.append(between, ' ');
        put(note, Tone::dim);
    }
    out_ += '\n';
    if (!fits)
        wrapped(note, 2, 0, Tone::dim);
}

void TextPage::blank() {
    out_ += '\n';
}

void TextPage::wrapped(std::string_view text, std::size_t indent, std::size_t used, Tone tone) {
    const std::size_t room = style_.width > indent + 20 ? style_.width - indent : 20;
    bool first = true;
    while (first || !text.empty()) {
        const std::size_t take = line_break(text, room);
        if (!first || used == 0)
            out_.append(indent, ' ');
        const std::string_view line = text.substr(0, take);
        put(line.substr(0, line.find_last_not_of(' ') + 1), tone);
        out_ += '\n';
        text.remove_prefix(take);
        text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
        first = false;
    }
}

void TextPage::line(std::string_view text, std::size_t indent, Tone tone) {
    wrapped(text, indent, 0, tone);
}

void TextPage::headline(std::string_view text, std::string_view label, Tone tone) {
    wrapped(fmt::format("{} {}", text, label), 2, 0, tone);
}

void TextPage::item(std::string_view label, std::string_view text, Tone tone, std::size_t indent) {
    out_.append(indent, ' ');
    put(padded(label, label_width, TextTable::Align::left), Tone::dim);
    wrapped(text, indent + label_width, indent + label_width, tone);
}

void TextPage::table(const TextTable &t, std::size_t indent) {
    std::vector<std::size_t> widths(t.headings().size());
    for (std::size_t i = 0; i < widths.size(); ++i) {
        widths[i] = display_width(t.headings()[i]);
        for (const auto &r : t.rows())
            widths[i] = std::max(widths[i], display_width(r[i]));
    }
    // Text in the last column takes the room that is left.
    const std::size_t others =
        std::accumulate(widths.begin(), widths.end() - 1, indent + between * (widths.size() - 1));
    if (t.align().back() == TextTable::Align::left && others + widths.back() > style_.width &&
        others + narrowest_text <= style_.width)
        widths.back() = style_.width - others;
    std::size_t first = 0;
    while (first < widths.size()) {
        std::size_t used = indent + (first == 0 ? 0 : widths[0] + between), end = first;
        while (end < widths.size() && (end == first || used + widths[end] <= style_.width))
            used += widths[end++] + between;
        if (first != 0)
            out_ += '\n';
        table_part(t, widths, first, end, indent);
        first = end;
    }
}

void TextPage::table_part(const TextTable &t, const std::vector<std::size_t> &widths, std::size_t first,
                          std::size_t end, std::size_t indent) {
    const auto assemble = [&](const std::vector<std::string> &cells, std::string_view last) {
        std::string text = first == 0 ? "" : padded(cells[0], widths[0], t.align()[0]);
        for (std::size_t i = first; i < end; ++i) {
            text.append(text.empty() && i == first ? 0 : between, ' ');
            text += padded(i + 1 == end ? last : cells[i], widths[i], t.align()[i]);
        }
        trim_right(text);
        return text;
    };
    out_.append(indent, ' ');
    put(assemble(t.headings(), t.headings()[end - 1]), Tone::dim);
    out_ += '\n';
    for (std::vector<std::string> cells : t.rows()) {
        std::string_view rest = cells[end - 1];
        const std::string whole(rest);
        rest = whole;
        do {
            const std::size_t take = line_break(rest, widths[end - 1]);
            out_.append(indent, ' ');
            out_ += assemble(cells, rest.substr(0, take));
            out_ += '\n';
            rest.remove_prefix(take);
            rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
            std::fill(cells.begin(), cells.end(), "");
        } while (!rest.empty());
    }
}

void TextPage::bar(std::string_view label, double share, std::string_view amount, std::string_view words) {
    const double halves = std::clamp(share, 0.0, 1.0) * static_cast<double>(bar_width) * 2;
    auto n = static_cast<std::size_t>(std::lround(halves));
    n = share > 0 ? std::max<std::size_t>(n, 1) : n;
    std::string blocks;
    for (std::size_t i = 0; i < n / 2; ++i)
        blocks += "█";
    blocks += n % 2 != 0 ? "▌" : "";
    out_ += "  ";
    out_ += padded(words, bar_words_width, TextTable::Align::left);
    out_ += ' ';
    put(blocks, Tone::bar);
    out_.append(bar_width - (n + 1) / 2, ' ');
    out_ += fmt::format(" {:>7} {:>8}", human::share(share), amount);
    constexpr std::size_t used = 2 + bar_words_width + 1 + bar_width + 17;
    if (used + between + longest_name <= style_.width && !label.empty()) {
        out_ += "  ";
        put(label, Tone::dim);
    }
    trim_right(out_);
    out_ += '\n';
}

std::string TextPage::finish() {
    if (!is_utf8(out_)) // a text that did not pass human::name()
        out_ = utf8_text(out_);
    return style_.utf8 ? std::move(out_) : in_ascii(out_);
}

} // namespace iscsiscope
