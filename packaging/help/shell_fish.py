# SPDX-License-Identifier: GPL-2.0-or-later
"""Completions for fish, of a program's pages."""
import values


def quoted(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def value_arguments(value):
    """The arguments of `complete` for what an option or argument takes."""
    if isinstance(value, values.Choice):
        return ["-f", "-a", quoted(" ".join(value.words))]
    if isinstance(value, values.Listed):
        listed = value.command
        if value.parts:
            # The list without its last part is put before each word again.
            listed = "set -l before (string replace -rf '[^,]*$' '' -- (string replace -r '.*=' '' -- (commandline -ct)));" \
                     " for word in (%s); echo $before$word; end" % listed
        return [] + ([] if value.files else ["-f"]) + ["-a", quoted("(" + listed + ")")]
    if value == values.FILES:
        return ["-F"]
    if value == values.FOLDERS:
        return ["-f", "-a", quoted("(__fish_complete_directories)")]
    return ["-f"]


def option_line(program, condition, page, option):
    words = ["complete", "-c", program, *condition]
    for name in option.names:
        words += ["-l", name[2:]] if name.startswith("--") else ["-s", name[1:]]
    if option.value:
        words += ["-r", *value_arguments(values.value_of(page, option.names[-1], option.value, option.choices))]
    if option.text:
        words += ["-d", quoted(option.text)]
    return " ".join(words)


def script(page):
    program = page.words[0]
    commands = " ".join(command for command, _ in page.commands)
    lines = ["# fish completion for %s; made from its --help." % program, "complete -c %s -f" % program]
    none = ["-n", quoted("not __fish_seen_subcommand_from " + commands)] if commands else []
    lines += [option_line(program, none, page, option) for option in page.options]
    for command, text in page.commands:
        lines.append(" ".join(["complete", "-c", program, *none, "-f", "-a", command, "-d", quoted(text)]))
    for command, own in page.pages.items() if commands else [("", page)]:
        condition = ["-n", quoted("__fish_seen_subcommand_from " + command)] if command else []
        if own.arguments:
            value = values.argument_of(own)
            lines.append(" ".join(["complete", "-c", program, *condition, *value_arguments(value)]))
            if value in (values.FILES,) or getattr(value, "files", False):
                lines.append(" ".join(["complete", "-c", program, *condition, "-F"]))
        if command:
            lines += [option_line(program, condition, own, option) for option in own.options]
    return "\n".join(lines) + "\n"
