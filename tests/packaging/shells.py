# SPDX-License-Identifier: GPL-2.0-or-later
"""What bash, zsh and fish offer when a line is completed, each by its own means.

In: the folder with the completions (bash/NAME, zsh/_NAME, fish/NAME.fish), lines such as "iscsiscope report --f".
Out: for each line the words that are offered, as a set. A path is offered with the folder that was typed.
"""
import os
import shlex
import subprocess
import tempfile


def run(words, environment, text=""):
    done = subprocess.run(words, input=text, capture_output=True, text=True, env=environment, timeout=300, check=False)
    if done.returncode != 0:
        raise RuntimeError("%s: exit code %d: %s" % (words[0], done.returncode, done.stderr))
    return done.stdout


def bash(folder, lines, environment):
    """Calls the function that `complete -p` names with the variables that readline would set."""
    answers = []
    for line in lines:
        words = line.replace("=", " = ").split(" ")
        if line.endswith("="):
            words = line[:-1].split(" ") + ["="]
        script = """
            . "$1/bash/$2"
            set -- "$2" $(complete -p "$2")
            while [ "$2" != -F ]; do shift; done
            COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            "$3"
            printf '%s\\n' "${COMPREPLY[@]}" """
        array = "COMP_WORDS=(" + " ".join(shlex.quote(word) for word in words) + ")\n"
        out = run(["bash", "--norc", "-c", array + script, "bash", folder, words[0]], environment)
        answers.append(set(out.split("\n")) - {""})
    return answers


# The completion system runs in an interactive shell on a pseudo-terminal. What it would add is written to a file.
ZSH = r"""
zmodload zsh/zpty
zpty inner zsh -f -i
send() { zpty -w inner "$1"; }
send "PROMPT= ; stty -echo; fpath=($folder/zsh \$fpath); autoload -Uz compinit; compinit -u -D"
send 'compadd() {
    if [[ ${(j: :)@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return; fi
    local -a hits; builtin compadd -A hits "$@"; (( $#hits )) && print -rl -- $hits >>$answers
    builtin compadd "$@" }'
send 'tell() { zle complete-word; print -r -- "<end>" >>$answers; zle kill-whole-line }; zle -N tell'
send "answers=$answers; bindkey '^I' tell; zstyle ':completion:*' menu no; setopt no_always_last_prompt; LISTMAX=9999"
while IFS= read -r line; do
    zpty -n -w inner "$line"$'\t'
    count=$(( ${count:-0} + 1 ))
    for try in {1..600}; do
        while zpty -r -t inner ignored 2>/dev/null; do :; done
        (( $(grep -c '^<end>$' $answers 2>/dev/null) >= count )) && break
        sleep 0.05
    done
    if (( try == 600 )); then print -u2 "no answer to: $line"; exit 1; fi
done
zpty -d inner
"""


def zsh(folder, lines, environment):
    with tempfile.TemporaryDirectory() as home:
        answers = os.path.join(home, "answers")
        with open(answers, "w", encoding="utf-8"):
            pass
        script = "folder=%s answers=%s\n" % (shlex.quote(folder), shlex.quote(answers)) + ZSH
        run(["zsh", "-f", "-c", script], {**environment, "HOME": home, "TERM": "dumb"}, "\n".join(lines) + "\n")
        with open(answers, encoding="utf-8") as file:
            parts = file.read().split("<end>\n")[:-1]
    return [{word for word in part.split("\n") if word} for part in parts]


def fish(folder, lines, environment):
    with tempfile.TemporaryDirectory() as home:
        environment = {**environment, "HOME": home}
        answers = []
        for line in lines:
            out = run(["fish", "--no-config", "-c", "source %s/fish/%s.fish; complete -C %s" % (
                shlex.quote(folder), line.split(" ")[0], shlex.quote(line))], environment)
            answers.append({entry.split("\t")[0] for entry in out.split("\n")} - {""})
    return answers


SHELLS = {"bash": bash, "zsh": zsh, "fish": fish}
