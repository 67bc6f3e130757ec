// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/base/glossary/glossary.h"

#include "analyzer/base/glossary/glossary_text.h"
#include "analyzer/base/text/nearest_name.h"

#include <algorithm>

namespace iscsiscope {
namespace {

// Removes the part before the separator, and the separator, from the front of `text` and returns that part;
// the whole text if there is no separator.
std::string_view take_until(std::string_view &text, std::string_view separator) {
    const std::size_t at = text.find(separator);
    const std::string_view front = text.substr(0, at);
    text.remove_prefix(at == std::string_view::npos ? text.size() : at + separator.size());
    return front;
}

std::vector<GlossaryEntry> parse(std::string_view text) {
    std::vector<GlossaryEntry> entries;
    std::string_view section;
    while (!text.empty()) {
        std::string_view line = take_until(text, "\n");
        if (line.empty() || line.front() == '#')
            continue;
        if (line.front() == '[') {
            section = line.substr(1, line.size() - 2);
            continue;
        }
        GlossaryEntry e{
            section, take_until(line, " | "), take_until(line, " | "), take_until(line, " | "), {}, {}};
        e.meaning = take_until(line, " | short: ");
        e.clause = line;
        entries.push_back(e);
    }
    return entries;
}

// The entries in the order of the file, and an index by term.
struct Parsed {
    std::vector<GlossaryEntry> entries = parse(glossary_text);
    std::vector<const GlossaryEntry *> by_term;

    Parsed() {
        by_term.reserve(entries.size());
        for (const GlossaryEntry &e : entries)
            by_term.push_back(&e);
        std::sort(by_term.begin(), by_term.end(), [](auto *a, auto *b) { return a->term < b->term; });
    }
};

const Parsed &parsed() {
    static const Parsed p;
    return p;
}

const GlossaryEntry *exactly(std::string_view term) {
    const auto &all = parsed().by_term;
    const auto at =
        std::lower_bound(all.begin(), all.end(), term, [](auto *e, auto &t) { return e->term < t; });
    return at != all.end() && (*at)->term == term ? *at : nullptr;
}

} // namespace

std::span<const GlossaryEntry> glossary() {
    return parsed().entries;
}

const GlossaryEntry *find_term(std::string_view path) {
    while (true) {
        if (const GlossaryEntry *e = exactly(path))
            return e;
        const std::size_t dot = path.find('.');
        if (dot == std::string_view::npos)
            return nullptr;
        path.remove_prefix(dot + 1);
    }
}

std::vector<const GlossaryEntry *> terms_named(std::string_view name) {
    std::vector<const GlossaryEntry *> found;
    if (const GlossaryEntry *e = exactly(name))
        found.push_back(e);
    for (const GlossaryEntry &e : glossary())
        if (e.term.size() > name.size() && e.term.ends_with(name) &&
            e.term[e.term.size() - name.size() - 1] == '.')
            found.push_back(&e);
    return found;
}

std::string nearest_term(std::string_view written) {
    std::vector<std::string> names;
    for (const GlossaryEntry &e : glossary()) {
        names.emplace_back(e.term);
        if (const std::size_t dot = e.term.rfind('.'); dot != std::string_view::npos)
            names.emplace_back(e.term.substr(dot + 1));
    }
    return nearest_name(written, names);
}

std::string_view meaning_of(std::string_view path) {
    const GlossaryEntry *e = find_term(path);
    return e != nullptr ? e->meaning : std::string_view{};
}

std::string_view clause_of(std::string_view path) {
    const GlossaryEntry *e = find_term(path);
    return e != nullptr ? e->clause : std::string_view{};
}

} // namespace iscsiscope
