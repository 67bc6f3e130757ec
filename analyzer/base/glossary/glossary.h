// SPDX-License-Identifier: GPL-2.0-or-later
// The glossary: the meaning of each name that the programs print. `--help`, `iscsiscope explain`, the man
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
    std::string_view term;    // as printed, with a context if the name has several meanings: "gaps.cycle"
    std::string_view unit;    // "ns", "bytes", "share" …; "-": none
    std::string_view page;    // in docs/, with its heading: "figures.md#phases"
    std::string_view meaning; // one sentence
    std::string_view clause;  // a few words for table remarks; empty if none are needed
};

// Returns all entries, in the order of the file.
std::span<const GlossaryEntry> glossary();

// Returns the entry of the longest end of `path` that has one: for "mirrors.members.held_ns" the names
// "mirrors.members.held_ns", "members.held_ns" and "held_ns" are tried in this order. Null if none has one.
const GlossaryEntry *find_term(std::string_view path);

// Returns the entries that a name without a context may mean: the entry of that name, then those with a
// context before it. Empty if no entry has that name.
std::vector<const GlossaryEntry *> terms_named(std::string_view name);

// Returns the term with the least edit distance from `written`; empty if none is near.
std::string nearest_term(std::string_view written);

// Return the meaning and the clause of find_term(path); empty if there is no such term.
std::string_view meaning_of(std::string_view path);
std::string_view clause_of(std::string_view path);

} // namespace iscsiscope
