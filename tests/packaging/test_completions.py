#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""test_completions.py FOLDER NAME=PROGRAM…: what bash, zsh and fish offer against each program's --help: all of its
commands and options, and nothing else; the values that the page lists; what the programs themselves list. A shell that
is not installed is skipped."""
import os
import shutil
import sys

import shells

sys.path.insert(0, os.path.join(os.environ["ISCSISCOPE_SOURCE_DIR"], "packaging", "help"))
import help_pages  # noqa: E402
import values  # noqa: E402

# Lines whose answers are not a list of the page: some of the words that must be offered.
FURTHER = {
    "iscsiscope": [
        ("iscsiscope cycles --columns response_t", {"response_time_ns"}),
        ("iscsiscope cycles --columns stream,response_t", {"stream,response_time_ns"}),
        ("iscsiscope columns lun_f", {"lun_facts"}),
        ("iscsiscope explain r2t_w", {"r2t_wait"}),
        ("iscsiscope report --format=sq", {"sqlite"}),
        ("iscsiscope report /etc/host", {"/etc/hostname"}),
        ("iscsiscope report -o /etc/host", {"/etc/hostname"}),
    ],
    "iscsiscope-testbed": [
        ("iscsiscope-testbed run plain-", {"plain-read", "plain-write"}),
        ("iscsiscope-testbed run papers/speed", {"papers/speed-step"}),
        ("iscsiscope-testbed check /etc/hostn", {"/etc/hostname"}),
        ("iscsiscope-testbed run -o /us", {"/usr"}),
        ("iscsiscope-testbed target --nagle ", {"on", "off"}),
    ],
    "iscsiscope-gui": [("iscsiscope-gui /etc/hostn", {"/etc/hostname"})],
}


def expected_of(page):
    """(line, words) for the program and each of its commands."""
    if page.commands:
        yield page.words[0] + " ", {command for command, _ in page.commands}
    for own in [page, *page.pages.values()]:
        begin = " ".join(own.words)
        yield begin + " -", {name for option in own.options for name in option.names}
        for option in own.options:
            value = values.value_of(own, option.names[-1], option.value, option.choices) if option.value else None
            if isinstance(value, values.Choice):
                yield "%s %s " % (begin, option.names[-1]), set(value.words)


def unnamed_choices(page):
    """Choices of packaging/help/values.py that the page does not name."""
    for own in [page, *page.pages.values()]:
        texts = [(option.names[-1], option.value, option.text) for option in own.options if not option.choices]
        for name, shown, text in texts + [(name, "", text) for name, text in own.arguments]:
            value = values.value_of(own, name, shown)
            if isinstance(value, values.Choice) and shown != "on|off" and "{" not in text and name != "PART":
                for word in value.words:
                    if word not in text:
                        yield "%s %s: %s is not a value on the page: %s" % (" ".join(own.words), name, word, text)


def same(shell, line, offered, wanted, exactly):
    # As zsh and fish have it, a folder may have a slash at its end; zsh offers a path's or a list's last part.
    offered = {word.rstrip("/") for word in offered}
    if shell == "fish" and "=" in line:
        offered = {word.rsplit("=", 1)[-1] for word in offered}
    if shell == "zsh" and not exactly:
        wanted = {word.rsplit(",", 1)[-1] for word in wanted}
        if all(word.startswith("/") for word in wanted):
            wanted = {word.rsplit("/", 1)[-1] for word in wanted}
    return offered == wanted if exactly else wanted <= offered


def main():
    folder, programs = sys.argv[1], dict(argument.split("=", 1) for argument in sys.argv[2:])
    paths = [os.path.dirname(program) for program in programs.values()]
    environment = {**os.environ, "PATH": os.pathsep.join([*paths, os.environ["PATH"]]), "LC_ALL": "C.UTF-8"}
    wrong, counts, skipped = [], {}, []
    for name, program in programs.items():
        page = help_pages.read(program, name)
        wrong += unnamed_choices(page)
        cases = [(line, words, True) for line, words in expected_of(page)]
        cases += [(line, words, False) for line, words in FURTHER[name]]
        for shell, ask in shells.SHELLS.items():
            if not shutil.which(shell):
                skipped.append(shell)
                continue
            answers = ask(folder, [line for line, _, _ in cases], environment)
            counts[shell] = counts.get(shell, 0) + len(answers)
            for (line, words, exactly), offered in zip(cases, answers, strict=True):
                if not same(shell, line, offered, words, exactly):
                    wrong.append("%s, '%s': offered %s, expected %s%s" % (
                        shell, line, sorted(offered - words if exactly else offered)[:20],
                        sorted(words - offered), "" if exactly else " among them"))
    for line in wrong:
        print("WRONG: " + line)
    for shell in sorted(set(skipped)):
        print("SKIPPED: %s is not installed: its completions are not tested" % shell)
    print("FIGURE: completions of %d programs: %s lines as --help has them, %d wrong" % (
        len(programs), ", ".join("%s %d" % one for one in counts.items()) or "no", len(wrong)))
    return 1 if wrong else 0 if counts else 77


if __name__ == "__main__":
    sys.exit(main())
