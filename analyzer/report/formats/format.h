// SPDX-License-Identifier: GPL-2.0-or-later
// Format: what one of the names of --format writes. The one list of formats: a command asks it for the names,
// their words in --help and what they write, and nobody else compares with a name.
#pragma once

#include "analyzer/figures/compare/comparison.h"
#include "analyzer/figures/compare/ends.h"
#include "analyzer/report/formats/report_format.h"
#include "analyzer/report/glossary/glossary_pages.h"
#include "analyzer/report/prediction/prediction_output.h"
#include "analyzer/report/tables/described_columns.h"
#include "analyzer/report/tables/row_writer.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace iscsiscope {

struct GlossaryPage {
    GlossaryEntries entries;
    bool all = false;         // no term was asked for: the entries are all there are
    std::string_view version; // of the program
};

struct Predictions {
    const Report &report;
    const std::vector<PredictionRow> &rows;
};

// Returns the whole text. The style is that of plain text; other formats have none. Throws std::bad_alloc
// only.
template <class Subject>
using TextOf = std::string (*)(const Subject &, const TextStyle &);

// A part that is empty is not written in this format.
struct Format {
    std::string_view name;                 // as --format takes it
    const ReportFormat *reports = nullptr; // lives as long as the program
    std::optional<RowFormat> rows = std::nullopt;
    TextOf<Comparison> comparison = nullptr;
    TextOf<Ends> ends = nullptr;
    TextOf<Predictions> predictions = nullptr;
    TextOf<std::vector<DescribedTable>> columns = nullptr;
    TextOf<GlossaryPage> glossary = nullptr;
    bool whole_glossary = false; // it takes all entries only
};

// In the order of --help. They live as long as the program.
std::span<const Format> formats();
// Returns null if there is no format of that name.
const Format *find_format(std::string_view name);

// Returns the formats that have the part: formats_with(&Format::comparison).
template <class Part>
std::vector<const Format *> formats_with(Part Format::*part) {
    std::vector<const Format *> all;
    for (const Format &f : formats())
        if (f.*part)
            all.push_back(&f);
    return all;
}

} // namespace iscsiscope
