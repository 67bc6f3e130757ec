// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/formats/format.h"

#include "analyzer/report/compare/compare_output.h"
#include "analyzer/report/formats/report_formats.h"

#include <algorithm>

namespace iscsiscope {
namespace {

Format text_format() {
    Format f{"text"};
    f.reports = &text_reports();
    f.comparison = &compare_text;
    f.ends = &ends_text;
    f.predictions = [](const Predictions &p, const TextStyle &s) {
        return prediction_text(p.report, p.rows, s);
    };
    f.columns = &columns_text;
    f.glossary = [](const GlossaryPage &p, const TextStyle &s) {
        return p.all ? glossary_names(s) : glossary_text_page(p.entries, s);
    };
    return f;
}

Format json_format() {
    Format f{"json"};
    f.reports = &json_reports();
    f.comparison = [](const Comparison &c, const TextStyle &) { return compare_json(c); };
    f.ends = [](const Ends &e, const TextStyle &) { return ends_json(e); };
    f.predictions = [](const Predictions &p, const TextStyle &) { return prediction_json(p.report, p.rows); };
    f.columns = [](const std::vector<DescribedTable> &t, const TextStyle &) { return columns_json(t); };
    f.glossary = [](const GlossaryPage &p, const TextStyle &) { return glossary_json(p.entries); };
    return f;
}

Format html_format() {
    Format f{"html"};
    f.reports = &html_reports();
    return f;
}

Format sqlite_format() {
    Format f{"sqlite"};
    f.reports = &sqlite_reports();
    return f;
}

Format csv_format() {
    Format f{"csv"};
    f.reports = &csv_reports();
    f.rows = RowFormat::csv;
    return f;
}

Format jsonl_format() {
    Format f{"jsonl"};
    f.rows = RowFormat::jsonl;
    return f;
}

Format markdown_format() {
    Format f{"markdown"};
    f.glossary = [](const GlossaryPage &, const TextStyle &) { return glossary_markdown(); };
    f.whole_glossary = true;
    return f;
}

Format man_format() {
    Format f{"man"};
    f.glossary = [](const GlossaryPage &p, const TextStyle &) { return glossary_man(p.version); };
    f.whole_glossary = true;
    return f;
}

} // namespace

std::span<const Format> formats() {
    static const Format all[] = {text_format(), json_format(),  html_format(),     sqlite_format(),
                                 csv_format(),  jsonl_format(), markdown_format(), man_format()};
    return all;
}

const Format *find_format(std::string_view name) {
    const auto all = formats();
    const auto at = std::find_if(all.begin(), all.end(), [&](const Format &f) { return f.name == name; });
    return at == all.end() ? nullptr : &*at;
}

} // namespace iscsiscope
