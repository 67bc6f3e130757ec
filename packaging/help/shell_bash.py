# SPDX-License-Identifier: GPL-2.0-or-later
"""Completions for bash, of a program's pages. They need no other package; bash-completion only finds the file."""
import values

TEXT = '''\
# bash completion for {name}; made from its --help.

{function}_words() {{ # those of the words that begin like what is typed
    local IFS=$' \\n'
    mapfile -t -O ${{#COMPREPLY[@]}} COMPREPLY < <(compgen -W "$1" -- "$cur")
}}
{function}_parts() {{ # the same for the last of several, separated by commas
    local before=''
    if [[ $cur == *,* ]]; then
        before=${{cur%,*}},
        cur=${{cur##*,}}
    fi
    {function}_words "$1"
    COMPREPLY=("${{COMPREPLY[@]/#/$before}}")
    compopt -o nospace 2>/dev/null
}}
{function}_paths() {{ # of files (-f) or folders (-d)
    mapfile -t -O ${{#COMPREPLY[@]}} COMPREPLY < <(compgen "$1" -- "$cur")
    compopt -o filenames 2>/dev/null
}}
{function}() {{
    local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD - 1]}} command='' word
    if [ "$cur" = = ]; then # to bash, --option=value is three words
        cur=''
    elif [ "$prev" = = ]; then
        prev=${{COMP_WORDS[COMP_CWORD - 2]}}
    fi
    for word in "${{COMP_WORDS[@]:1:COMP_CWORD - 1}}"; do
        case $word in
            {commands}) command=$word && break ;;
        esac
    done
    COMPREPLY=()
    case "$command $prev" in
{options}
    esac
    if [[ $cur == -* ]]; then
        case $command in
{names}
        esac
        return
    fi
    case $command in
{arguments}
    esac
}}
complete -F {function} {name}
'''


def action(function, value):
    if isinstance(value, values.Choice):
        return "%s_words '%s'" % (function, " ".join(value.words))
    if isinstance(value, values.Listed):
        lines = '%s_%s "$(%s)"' % (function, "parts" if value.parts else "words", value.command)
        return lines + ("; %s_paths -f" % function if value.files else "")
    return {values.FILES: function + "_paths -f", values.FOLDERS: function + "_paths -d"}.get(value, ":")


def script(page):
    function = "_" + page.words[0].replace("-", "_")
    options, names, arguments = [], [], []
    for command, own in [("", page), *page.pages.items()]:
        for option in own.options:
            if option.value:
                pattern = " | ".join("'%s %s'" % (command, one) for one in option.names)
                value = values.value_of(own, option.names[-1], option.value, option.choices)
                options.append("        %s) %s; return ;;" % (pattern, action(function, value)))
        all_names = " ".join(name for option in own.options for name in option.names)
        names.append("            '%s') %s_words '%s' ;;" % (command, function, all_names))
        arguments.append("        '%s') %s ;;" % (command, action(function, values.argument_of(own))))
    return TEXT.format(name=page.words[0], function=function, options="\n".join(options), names="\n".join(names),
                       commands=" | ".join(command for command, _ in page.commands) or "''",
                       arguments="\n".join(arguments))
