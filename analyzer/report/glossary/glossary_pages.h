// SPDX-License-Identifier: GPL-2.0-or-later
// The glossary as text (`iscsiscope explain`), docs/glossary.md, JSON and iscsiscope-terms(7).
#pragma once

#include "analyzer/base/glossary/glossary.h"
#include "analyzer/report/text/text_page.h"

#include <span>
#include <string>

namespace iscsiscope {

// The pointers are never null.
using GlossaryEntries = std::span<const GlossaryEntry *const>;

// The entries, each with its unit, meaning and page.
std::string glossary_text_page(GlossaryEntries, const TextStyle &);
// The names of all entries, by section.
std::string glossary_names(const TextStyle &);
// An array of objects: section, term, unit (null: none), page, meaning, clause (null: none).
std::string glossary_json(GlossaryEntries);

// The whole glossary: docs/glossary.md, and the manual page iscsiscope-terms(7) in man(7)'s macros.
std::string glossary_markdown();
std::string glossary_man(std::string_view version);

} // namespace iscsiscope
