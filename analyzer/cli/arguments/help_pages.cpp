// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cli/arguments/help_pages.h"

#include "analyzer/base/help/keep_lines.h"
#include "analyzer/report/text/text_page.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <string>
#include <string_view>

namespace iscsiscope::cli {
namespace {

constexpr std::size_t names_width = 24;

class HelpPages final : public CLI::Formatter {
public:
    explicit HelpPages(std::size_t width) {
        style_.width = width;
        label("Positionals", "Arguments");
        label("SUBCOMMAND", "COMMAND");
        keep_lines(*this);
    }

    std::string make_description(const CLI::App *app) const override {
        return wrapped(CLI::Formatter::make_description(app));
    }

    std::string make_option(const CLI::Option *option, bool is_positional) const override {
        return entry(make_option_name(option, is_positional) + make_option_opts(option),
                     make_option_desc(option));
    }

    std::string make_subcommand(const CLI::App *sub) const override {
        return entry(sub->get_name(), sub->get_description());
    }

    // "-h, --help"; "FILE..."
    std::string make_option_name(const CLI::Option *option, bool is_positional) const override {
        std::string name = option->get_name(is_positional, !is_positional);
        if (const std::size_t comma = name.find(','); comma != std::string::npos)
            name.insert(comma + 1, " ");
        const bool many = option->get_expected_max() >= CLI::detail::expected_max_vector_size;
        return is_positional && many ? name + "..." : name;
    }

    std::string make_option_usage(const CLI::Option *option) const override {
        const std::string name = make_option_name(option, true);
        return option->get_required() ? name : "[" + name + "]";
    }

    // The value's name, without what the validators add to it: the description states what it may be.
    std::string make_option_opts(const CLI::Option *option) const override {
        const std::string type = option->get_type_name();
        return option->get_positional() || option->get_type_size() == 0
                   ? ""
                   : " " + type.substr(0, type.find(':'));
    }

    std::string make_option_desc(const CLI::Option *option) const override {
        const std::string &value = option->get_default_str();
        return value.empty() ? option->get_description()
                             : fmt::format("{} (default: {})", option->get_description(), value);
    }

    std::string make_footer(const CLI::App *app) const override {
        const std::string text = CLI::Formatter::make_footer(app);
        std::string out;
        bool examples = false;
        for (std::size_t from = 0; from < text.size();) {
            const std::size_t end = std::min(text.find('\n', from), text.size());
            const std::string line = text.substr(from, end - from);
            examples = line == "Examples:" || (examples && !line.empty());
            out += examples ? line + "\n" : wrapped(line);
            from = end + 1;
        }
        return out;
    }

private:
    // One line, continued at its own indent.
    std::string wrapped(std::string line) const {
        line.erase(line.find_last_not_of('\n') + 1);
        const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
        TextPage page(style_);
        page.line(std::string_view(line).substr(indent), line.size() == indent ? 0 : indent);
        return page.finish();
    }

    std::string entry(const std::string &name, const std::string &description) const {
        TextPage page(style_);
        page.line(description, names_width);
        std::string text = page.finish();
        const std::string label = "  " + name;
        if (label.size() + 2 > names_width)
            return label + "\n" + text;
        return text.replace(0, label.size(), label);
    }

    TextStyle style_;
};

} // namespace

std::shared_ptr<CLI::FormatterBase> help_pages(std::size_t width) {
    return std::make_shared<HelpPages>(width);
}

} // namespace iscsiscope::cli
