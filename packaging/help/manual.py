# SPDX-License-Identifier: GPL-2.0-or-later
"""The options of a program's pages in the language of manual pages, man(7)."""

MARK = "OPTIONS_OF_THE_HELP"


def escaped(text):
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("…", "...")
    return "\\&" + text if text.startswith((".", "'")) else text


def option_lines(option):
    names = ", ".join("\\fB%s\\fP" % escaped(name) for name in option.names)
    yield ".TP"
    yield names + (" \\fI%s\\fP" % escaped(option.value) if option.value else "")
    yield escaped(option.text or "See the command's description.")


def filled(text, page):
    lines = []
    for command, own in [("", page), *page.pages.items()]:
        wanted = [option for option in own.options if "--help" not in option.names]
        if not wanted:
            continue
        lines.append(".SS Of %s" % (command or "the program itself"))
        group = ""
        for option in wanted:
            if option.group != group:
                group = option.group
                lines += [".PP", escaped(group) + ":"]
            lines += option_lines(option)
    if MARK not in text:
        raise SystemExit("the manual page has no line " + MARK)
    return text.replace(MARK + "\n", "\n".join(lines) + "\n")
