// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cli/arguments/format_option.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <stdexcept>

namespace iscsiscope::cli {

void add_format_option(CLI::App &app, std::string &name, const std::vector<const Format *> &formats) {
    std::vector<std::string> all, any, whole;
    for (const Format *f : formats) {
        all.emplace_back(f->name);
        (f->whole_glossary ? whole : any).emplace_back(f->name);
    }
    std::string help = fmt::format("{}", fmt::join(any, " or "));
    if (!whole.empty())
        help += fmt::format("; {} for the whole glossary", fmt::join(whole, " or "));
    app.add_option("--format", name, help)
        ->check(CLI::IsMember(all))
        ->type_name("FORMAT")
        ->capture_default_str();
}

const Format &format_of(const std::string &name) {
    const Format *format = find_format(name);
    if (format == nullptr)
        throw std::logic_error("--format took a name that is not in the list of formats");
    return *format;
}

} // namespace iscsiscope::cli
