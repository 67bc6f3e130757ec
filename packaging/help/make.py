#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes what is derived from a program's --help: its completions for bash, zsh and fish, and the options of its
manual page.

In: the program; with --page the manual page, in which a line OPTIONS_OF_THE_HELP stands where the options belong.
Out: DIR/bash/NAME, DIR/zsh/_NAME, DIR/fish/NAME.fish and, with --page, DIR/NAME.1.
"""
import argparse
import pathlib
import sys

import help_pages
import manual
import shell_bash
import shell_fish
import shell_zsh


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--name", required=True)
    parser.add_argument("--page")
    parser.add_argument("-o", dest="out", required=True, type=pathlib.Path)
    given = parser.parse_args()
    page = help_pages.read(given.program, given.name)
    for folder, file, maker in (("bash", given.name, shell_bash), ("zsh", "_" + given.name, shell_zsh),
                                ("fish", given.name + ".fish", shell_fish)):
        (given.out / folder).mkdir(parents=True, exist_ok=True)
        (given.out / folder / file).write_text(maker.script(page), encoding="utf-8")
    if given.page:
        text = pathlib.Path(given.page).read_text(encoding="utf-8")
        (given.out / (given.name + ".1")).write_text(manual.filled(text, page), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
