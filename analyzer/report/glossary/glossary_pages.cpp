// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/glossary/glossary_pages.h"

#include "analyzer/report/json/json_parts.h"

#include <fmt/format.h>

namespace iscsiscope {
namespace {

// "Gap kinds"
std::string title_of(std::string_view section) {
    std::string title(section);
    title.front() =
        static_cast<char>(title.front() - ('a' <= title.front() && title.front() <= 'z' ? 32 : 0));
    return title;
}

std::string_view unit_of(const GlossaryEntry &e) {
    return e.unit == "-" ? std::string_view{} : e.unit;
}

// man(7) takes a backslash for an escape, a leading point or quote for a request, and a hyphen for a dash.
std::string man_text(std::string_view text) {
    std::string out;
    for (const char c : text)
        if (c == '\\')
            out += "\\e";
        else if (c == '-')
            out += "\\-";
        else if ((c == '.' || c == '\'') && out.empty())
            out += std::string("\\&") + c;
        else
            out += c;
    return out;
}

} // namespace

std::string glossary_text_page(GlossaryEntries entries, const TextStyle &style) {
    TextPage page(style);
    for (const GlossaryEntry *e : entries) {
        if (e != entries.front())
            page.blank();
        const std::string_view unit = unit_of(*e);
        page.line(fmt::format("{} ({}{}{})", e->term, e->section, unit.empty() ? "" : "; unit: ", unit), 0,
                  Tone::strong);
        page.line(e->meaning, 4);
        page.line(fmt::format("docs/{}", e->page), 4, Tone::dim);
    }
    return page.finish();
}

std::string glossary_names(const TextStyle &style) {
    TextPage page(style);
    std::string names;
    const auto all = glossary();
    for (std::size_t i = 0; i < all.size(); ++i) {
        names += names.empty() ? "" : ", ";
        names += all[i].term;
        if (i + 1 == all.size() || all[i + 1].section != all[i].section) {
            page.heading(title_of(all[i].section));
            page.line(names);
            names.clear();
        }
    }
    page.blank();
    page.line("`iscsiscope explain TERM` says what one of them means.", 0);
    return page.finish();
}

std::string glossary_json(GlossaryEntries entries) {
    return json_text([&](JsonWriter &w) {
        w.open_array();
        for (const GlossaryEntry *e : entries) {
            w.open_object();
            w.add("section", e->section);
            w.add("term", e->term);
            w.add("unit", known_text(unit_of(*e)));
            w.add("page", e->page);
            w.add("meaning", e->meaning);
            w.add("clause", known_text(e->clause));
            w.close();
        }
        w.close();
    });
}

std::string glossary_markdown() {
    std::string out =
        "# Glossary\n"
        "\n"
        "This page is made from `analyzer/base/glossary/glossary.txt` by `iscsiscope explain --format "
        "markdown`. `iscsiscope\n"
        "explain TERM` prints one entry. A context stands before a term, with a dot, where one name "
        "means different things.\n";
    std::string_view section;
    for (const GlossaryEntry &e : glossary()) {
        if (e.section != section) {
            section = e.section;
            out +=
                fmt::format("\n## {}\n\n| term | unit | meaning |\n| --- | --- | --- |\n", title_of(section));
        }
        out += fmt::format("| `{}` | {} | {} [{}]({}) |\n", e.term, unit_of(e), e.meaning,
                           e.page.substr(0, e.page.find('.')), e.page);
    }
    return out;
}

std::string glossary_man(std::string_view version) {
    std::string out =
        fmt::format(".\\\" SPDX-License-Identifier: GPL-2.0-or-later\n"
                    ".\\\" Made by iscsiscope explain \\-\\-format man\n"
                    ".TH ISCSISCOPE\\-TERMS 7 \"\" \"iscsiscope {}\" \"Miscellaneous\"\n"
                    ".SH NAME\n"
                    "iscsiscope\\-terms \\- what the names mean that iscsiscope prints\n"
                    ".SH DESCRIPTION\n"
                    "A context stands before a term, with a dot, where one name means different "
                    "things.\n",
                    version);
    std::string_view section;
    for (const GlossaryEntry &e : glossary()) {
        if (e.section != section) {
            section = e.section;
            out += fmt::format(".SS {}\n", title_of(section));
        }
        const std::string_view unit = unit_of(e);
        out += fmt::format(".TP\n.B {}\n", man_text(e.term));
        out += fmt::format("{}{}\n", man_text(e.meaning),
                           unit.empty() ? "" : fmt::format(" Unit: {}.", man_text(unit)));
    }
    return out + ".SH SEE ALSO\n.BR iscsiscope (1)\n";
}

} // namespace iscsiscope
