// SPDX-License-Identifier: GPL-2.0-or-later
// explain: what a name means that the programs print.
#include "analyzer/cli/common_options.h"
#include "analyzer/cli/program.h"
#include "analyzer/report/glossary/glossary_pages.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>

namespace iscsiscope::cli {
namespace {

struct ExplainOptions {
    std::string term, format = "text", output = "-";
};

std::vector<const GlossaryEntry *> entries_for(const std::string &term) {
    if (!term.empty())
        return terms_named(term);
    std::vector<const GlossaryEntry *> all;
    for (const GlossaryEntry &e : glossary())
        all.push_back(&e);
    return all;
}

std::string page(const ExplainOptions &o, GlossaryEntries entries) {
    if (o.format == "markdown")
        return glossary_markdown();
    if (o.format == "man")
        return glossary_man(ISCSISCOPE_VERSION);
    if (o.format == "json")
        return glossary_json(entries);
    const TextStyle style = terminal_style(o.output, {});
    return o.term.empty() ? glossary_names(style) : glossary_text_page(entries, style);
}

int run_explain(const ExplainOptions &o, Program &program) {
    if (!o.term.empty() && (o.format == "markdown" || o.format == "man"))
        return usage_error("explain",
                           fmt::format("--format {} is of the whole glossary: it takes no TERM", o.format));
    const std::vector<const GlossaryEntry *> entries = entries_for(o.term);
    if (entries.empty()) {
        const std::string near = nearest_term(o.term);
        complain(near.empty() ? fmt::format("no term '{}'; `iscsiscope explain` lists all", o.term)
                              : fmt::format("no term '{}'; is {} meant?", o.term, near));
        return exit_error;
    }
    OutputFile out(o.output, program.unfinished);
    if (out.ok())
        out.write(page(o, entries));
    if (!out.commit()) {
        complain(out.error());
        return exit_error;
    }
    return exit_done;
}

} // namespace

void add_explain_command(CLI::App &app, Program &program) {
    auto o = std::make_shared<ExplainOptions>();
    CLI::App *sub =
        app.add_subcommand("explain", "What a column, gap kind, phase, outcome, finding or key means");
    sub->add_option("TERM", o->term, "A name as the programs print it; none: all names");
    sub->add_option("--format", o->format, "text or json; markdown or man for the whole glossary")
        ->check(CLI::IsMember({"text", "json", "markdown", "man"}))
        ->type_name("FORMAT")
        ->capture_default_str();
    sub->add_option("-o,--output", o->output, "Write there")->type_name("FILE");
    sub->footer("Examples:\n"
                "  iscsiscope explain response_time_ns\n"
                "  iscsiscope explain delayed_ack\n"
                "  iscsiscope explain --format json");
    sub->callback([o, &program] { program.run = [o, &program] { return run_explain(*o, program); }; });
}

} // namespace iscsiscope::cli
