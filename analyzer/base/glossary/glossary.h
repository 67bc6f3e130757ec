// SPDX-License-Identifier: GPL-2.0-or-later
// The one glossary: what each name means that the programs print. `--help`, `iscsiscope explain`, the man
// page, tooltips, field descriptions of the plugin and docs/glossary.md show its sentences. Its text is
// glossary.txt, whose first lines state the form of an entry and the contexts; CMake compiles it in.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace iscsiscope {

// Every text lives as long as the program.
struct GlossaryEntry {
    std::string_view section; // "columns", "gap kinds", …
    std::string_view term;    // as printed, with its context where that matters: "gaps.cycle"
    std::string_view unit;    // "ns", "bytes", "share" …; "-": none
    std::string_view page;    // in docs/, with its heading: "figures.md#phases"
    std::string_view meaning; // one sentence
    std::string_view clause;  // a few words for table remarks; empty where nothing needs them
};

// All entries, in the order of the file.
std::span<const GlossaryEntry> glossary();

// The entry of the longest end of `path` that has one: of "mirrors.members.held_ns" the entries of that name,
// of "members.held_ns" and of "held_ns" are tried in this order. Null: none of them has an entry.
const GlossaryEntry *find_term(std::string_view path);

// The entries a reader may mean who gives a name without its context: the entry of that name, then those with
// a context before it. Empty: no such name.
std::vector<const GlossaryEntry *> terms_named(std::string_view name);

// The term that differs least from what was written; empty where none is near.
std::string nearest_term(std::string_view written);

// What find_term(path) finds; empty texts where it finds nothing.
std::string_view meaning_of(std::string_view path);
std::string_view clause_of(std::string_view path);

} // namespace iscsiscope
