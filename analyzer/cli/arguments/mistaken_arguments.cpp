// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cli/arguments/mistaken_arguments.h"

#include "analyzer/base/text/nearest_name.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <sys/stat.h>
#include <vector>

namespace iscsiscope::cli {
namespace {

bool exists_as_file(const std::string &path) {
    struct stat st {};
    return ::stat(path.c_str(), &st) == 0 && !S_ISDIR(st.st_mode);
}

bool has_name_of_capture(std::string_view path) {
    constexpr std::array<std::string_view, 5> endings = {".pcap", ".pcapng", ".cap", ".gz", ".zst"};
    return std::any_of(endings.begin(), endings.end(), [&](std::string_view e) { return path.ends_with(e); });
}

// The argument as a shell takes it.
std::string shell_word(std::string_view text) {
    const auto plain = [](char c) {
        return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') ||
               std::string_view("_-./:,+@%").find(c) != std::string_view::npos ||
               (static_cast<unsigned char>(c) & 0x80) != 0;
    };
    if (!text.empty() && std::all_of(text.begin(), text.end(), plain))
        return std::string(text);
    std::string word = "'";
    for (const char c : text)
        word += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return word + "'";
}

std::string nearest_words(const std::string &near) {
    return near.empty() ? std::string() : fmt::format("; the nearest is '{}'", near);
}

std::vector<std::string> commands_of(const CLI::App &app) {
    std::vector<std::string> names;
    for (const CLI::App *sub : app.get_subcommands({}))
        names.push_back(sub->get_name());
    return names;
}

// The long names, without dashes.
std::vector<std::string> options_of(const CLI::App &app) {
    std::vector<std::string> names;
    for (const CLI::Option *o : app.get_options())
        names.insert(names.end(), o->get_lnames().begin(), o->get_lnames().end());
    return names;
}

bool is_option(std::string_view argument) {
    return argument.size() > 1 && argument.front() == '-';
}

bool is_format_of(const CLI::App &app, const std::string &word) {
    const CLI::Option *format = app.get_option_no_throw("--format");
    return format != nullptr && word.size() > 2 && format->get_description().find(word) != std::string::npos;
}

// "--format: 1 required FORMAT missing" in better words; others as they are.
std::string parser_words(const std::string &words) {
    constexpr std::string_view one = ": 1 required ", end = " missing";
    const std::size_t at = words.find(one);
    if (at == std::string::npos || !words.ends_with(end))
        return words;
    const std::size_t type = at + one.size();
    return fmt::format("{} needs a value: {}", words.substr(0, at),
                       words.substr(type, words.size() - end.size() - type));
}

// written: an argument that begins with a dash and is no option of the program (used: null) or of the
// command.
std::string unknown_option(const CLI::App &app, const CLI::App *used, const std::string &written) {
    const std::string name = written.substr(0, written.find('='));
    const std::string bare = name.substr(std::min(name.find_first_not_of('-'), name.size()));
    const CLI::App &of = used != nullptr ? *used : app;
    const std::string whose =
        used != nullptr ? fmt::format("{} has no option", used->get_name()) : "no option";
    if (used == nullptr)
        for (const CLI::App *chosen : app.get_subcommands())
            if (chosen->get_option_no_throw(name) != nullptr)
                return fmt::format(
                    "{0} is an option of {1}: it is given after the command, `iscsiscope {1} {0}`", name,
                    chosen->get_name());
    if (is_format_of(of, bare))
        return fmt::format("{} '{}'; did you mean `--format {}`?", whose, name, bare);
    const std::string near = bare.size() > 1 ? nearest_name(bare, options_of(of)) : "";
    return fmt::format("{} '{}'{}", whose, name, nearest_words(near.empty() ? "" : "--" + near));
}

} // namespace

std::string mistaken_command(const CLI::App &app, std::string_view first) {
    const std::vector<std::string> commands = commands_of(app);
    if (is_option(first) || std::find(commands.begin(), commands.end(), first) != commands.end())
        return {};
    const std::string word(first);
    if (word == "-")
        return "- is standard input, not a command; `iscsiscope report -` reads it";
    if (exists_as_file(word) || has_name_of_capture(word))
        return fmt::format("{} is {}file, not a command; `iscsiscope report {}` reads it", word,
                           exists_as_file(word) ? "a " : "the name of a ", shell_word(word));
    return fmt::format("no command '{}'{}", word, nearest_words(nearest_name(word, commands)));
}

ArgumentMistake mistake_in_arguments(const CLI::App &app, const CLI::ParseError &error) {
    const std::vector<CLI::App *> chosen = app.get_subcommands();
    const CLI::App *used = chosen.empty() ? nullptr : chosen.front();
    ArgumentMistake mistake{used != nullptr ? used->get_name() : "", parser_words(error.what())};
    // A mistyped option can make others wrong, such as one that is missing: it is named first.
    for (const std::string &left : app.remaining())
        if (is_option(left))
            return {{}, unknown_option(app, nullptr, left)};
    if (used == nullptr)
        return mistake;
    const std::vector<std::string> remaining = used->remaining();
    for (const std::string &left : remaining)
        if (is_option(left))
            return {used->get_name(), unknown_option(app, used, left)};
    if (!remaining.empty() && dynamic_cast<const CLI::ExtrasError *>(&error) != nullptr)
        mistake.message = fmt::format("'{}' is an argument too many", remaining.front());
    return mistake;
}

} // namespace iscsiscope::cli
