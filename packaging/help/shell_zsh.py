# SPDX-License-Identifier: GPL-2.0-or-later
"""Completions for zsh, of a program's pages."""
import re

import values


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def spec_text(text):
    """A text inside a specification of _arguments: its own signs lose their meaning there."""
    return re.sub(r"([\\\[\]:])", r"\\\1", text)


def action(value):
    """The last part of a specification."""
    if isinstance(value, values.Choice):
        return "(" + " ".join(value.words) + ")"
    if isinstance(value, values.Listed):
        words = "compadd -- ${(f)\"$(%s)\"}" % value.command.replace(":", "\\:")
        if value.parts:
            words = "_sequence " + words.replace("compadd --", "compadd -")
        if value.files:
            words = "_alternative \"words:word:{%s}\" \"files:file:_files\"" % words.replace('"', '\\"').replace("$", "\\$")
        return "{" + words + "}"
    return {values.FILES: "_files", values.FOLDERS: "_files -/"}.get(value, " ")


def option_specs(page):
    for option in page.options:
        text = "[%s]" % spec_text(option.text or option.names[-1])
        value = ""
        if option.value:
            found = values.value_of(page, option.names[-1], option.value, option.choices)
            value = ":%s:%s" % (spec_text(option.value), action(found))
        # May stand several times, as most programs take it; the other spelling is left out once one is there.
        for name in option.names:
            joint = "=" if value and name.startswith("--") else ""
            yield quoted(name + joint + text + value)


def arguments_call(page, further):
    lines = ["_arguments -S -s", *option_specs(page), *further]
    return " \\\n            ".join(lines)


TEXT = '''\
#compdef {name}
# zsh completion for {name}; made from its --help.

{function}() {{
    local curcontext=$curcontext state line
    typeset -A opt_args
{body}
}}
{function} "$@"
'''
COMMANDS = '''\
    _arguments -C -S {specs} \\
        '1:command:->command' '*::argument:->arguments' && return
    case $state in
    command)
        local -a commands=({commands})
        _describe -t commands command commands
        ;;
    arguments)
        case $words[1] in
{cases}
        esac
        ;;
    esac'''


def script(page):
    function = "_" + page.words[0].replace("-", "_")
    own_argument = "'*:%s:%s'"
    if not page.commands:
        name = page.arguments[0][0] if page.arguments else "argument"
        further = [own_argument % (name, action(values.argument_of(page)).replace("'", "'\\''"))]
        return TEXT.format(name=page.words[0], function=function, body="    " + arguments_call(page, further))
    cases = []
    for command, own in page.pages.items():
        name = own.arguments[0][0] if own.arguments else "argument"
        further = [quoted("*:%s:%s" % (name, action(values.argument_of(own))))]
        cases.append("        %s)\n            %s ;;" % (command, arguments_call(own, further)))
    commands = " ".join(quoted("%s:%s" % (command, re.sub(r":", r"\\:", text))) for command, text in page.commands)
    return TEXT.format(name=page.words[0], function=function, body=COMMANDS.format(
        specs=" ".join(option_specs(page)), commands=commands, cases="\n".join(cases)))
