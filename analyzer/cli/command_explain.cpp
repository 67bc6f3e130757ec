// SPDX-License-Identifier: GPL-2.0-or-later
// explain: what a name means that the programs print.
#include "analyzer/cli/arguments/format_option.h"
#include "analyzer/cli/common_options.h"
#include "analyzer/cli/program.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <memory>

namespace iscsiscope::cli {
namespace {

struct ExplainOptions {
    std::vector<std::string> terms;
    std::string format = "text", output = "-";
};

std::vector<const GlossaryEntry *> all_entries() {
    std::vector<const GlossaryEntry *> all;
    for (const GlossaryEntry &e : glossary())
        all.push_back(&e);
    return all;
}

// Adds the entries of a term that are not there yet. Returns false if it has none.
bool add_entries(const std::string &term, std::vector<const GlossaryEntry *> &entries) {
    const std::vector<const GlossaryEntry *> found = terms_named(term);
    for (const GlossaryEntry *e : found)
        if (std::find(entries.begin(), entries.end(), e) == entries.end())
            entries.push_back(e);
    return !found.empty();
}

int run_explain(const ExplainOptions &o, Program &program) {
    const Format &format = format_of(o.format);
    if (!o.terms.empty() && format.whole_glossary)
        return usage_error("explain",
                           fmt::format("--format {} is of the whole glossary: it takes no TERM", o.format));
    std::vector<const GlossaryEntry *> entries;
    int code = exit_done;
    for (const std::string &term : o.terms)
        if (!add_entries(term, entries)) {
            const std::string near = nearest_term(term);
            complain(near.empty() ? fmt::format("no term '{}'; `iscsiscope explain` lists all", term)
                                  : fmt::format("no term '{}'; the nearest is '{}'", term, near));
            code = exit_error;
        }
    if (o.terms.empty())
        entries = all_entries();
    if (entries.empty())
        return code;
    OutputFile out(o.output, program.unfinished);
    if (out.ok())
        out.write(
            format.glossary({entries, o.terms.empty(), ISCSISCOPE_VERSION}, terminal_style(o.output, {})));
    return std::max(code, commit(out));
}

} // namespace

void add_explain_command(CLI::App &app, Program &program) {
    auto o = std::make_shared<ExplainOptions>();
    CLI::App *sub =
        app.add_subcommand("explain", "What a column, gap kind, phase, outcome, finding or key means");
    sub->add_option("TERM", o->terms, "Names as the programs print them; none: all names");
    add_format_option(*sub, o->format, formats_with(&Format::glossary));
    add_output_option(*sub, o->output);
    sub->footer("Examples:\n"
                "  iscsiscope explain response_time_ns\n"
                "  iscsiscope explain delayed_ack MaxBurstLength\n"
                "  iscsiscope explain --format json");
    sub->callback([o, &program] { program.run = [o, &program] { return run_explain(*o, program); }; });
}

} // namespace iscsiscope::cli
