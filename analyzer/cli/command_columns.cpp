// SPDX-License-Identifier: GPL-2.0-or-later
// columns: the columns of the row commands and of the tables of reports, with type, unit and meaning.
#include "analyzer/base/text/nearest_name.h"
#include "analyzer/cli/arguments/format_option.h"
#include "analyzer/cli/common_options.h"
#include "analyzer/cli/program.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>

namespace iscsiscope::cli {
namespace {

struct ColumnsOptions {
    std::string table, format = "text", output = "-";
};

int run_columns(const ColumnsOptions &o, Program &program) {
    std::vector<DescribedTable> tables = described_tables({0.5, 0.9, 0.99, 0.999});
    if (!o.table.empty()) {
        std::vector<std::string> names;
        names.reserve(tables.size());
        for (const DescribedTable &t : tables)
            names.push_back(t.name);
        std::erase_if(tables, [&](const DescribedTable &t) { return t.name != o.table; });
        if (tables.empty()) {
            const std::string near = nearest_name(o.table, names);
            return usage_error("columns",
                               fmt::format("no table '{}'{}\nthe tables: {}", o.table,
                                           near.empty() ? "" : fmt::format("; did you mean {}?", near),
                                           fmt::join(names, ",")));
        }
    }
    OutputFile out(o.output, program.unfinished);
    if (out.ok())
        out.write(format_of(o.format).columns(tables, terminal_style(o.output, {})));
    if (!out.commit()) {
        complain(out.error());
        return exit_error;
    }
    return exit_done;
}

} // namespace

void add_columns_command(CLI::App &app, Program &program) {
    auto o = std::make_shared<ColumnsOptions>();
    CLI::App *sub = app.add_subcommand("columns", "Name, type, unit and meaning of the columns of tables");
    sub->add_option("COMMAND", o->table, "A row command, or a table of the CSV or SQLite report; none: all");
    add_format_option(*sub, o->format, formats_with(&Format::columns));
    add_output_option(*sub, o->output);
    sub->footer(
        "Examples:\n"
        "  iscsiscope columns cycles\n"
        "  iscsiscope columns --format json\n"
        "\n"
        "JSON has what a program needs to make typed tables of the CSV, JSON Lines and SQLite output.");
    sub->callback([o, &program] { program.run = [o, &program] { return run_columns(*o, program); }; });
}

} // namespace iscsiscope::cli
