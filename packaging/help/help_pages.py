# SPDX-License-Identifier: GPL-2.0-or-later
"""What a program says of itself with --help, as objects: commands, options, arguments.

In: the pages of CLI11 in the form of iscsiscope, of CLI11 in its own form (of version 2.1 to 2.6), of Qt,
of argparse, and usage texts that only name options. Out: a Page for the program and for each of its commands.
"""
import dataclasses
import os
import re
import subprocess


@dataclasses.dataclass
class Option:
    names: list[str]  # "-o", "--output"
    value: str  # what stands for its value: "FILE"; empty: it takes none
    text: str
    choices: list[str] = dataclasses.field(default_factory=list)  # where the page lists them in braces
    group: str = ""  # the heading that it stands under, where that says more than "Options"


@dataclasses.dataclass
class Page:
    words: list[str]  # the program's name, and the command
    text: str  # the first paragraph
    options: list[Option] = dataclasses.field(default_factory=list)
    arguments: list[tuple[str, str]] = dataclasses.field(default_factory=list)  # name, text
    commands: list[tuple[str, str]] = dataclasses.field(default_factory=list)  # name, first sentence
    pages: dict[str, "Page"] = dataclasses.field(default_factory=dict)  # by command


HEADING = re.compile(r"^\[?(\S.*?)\]?:$|^(Examples?|Exit (?:code|status)|Sizes):\s")
ENTRY = re.compile(r"^( {1,12})((?:-\w, +)?\S.*?)(?:\s{2,}(\S.*))?$")
NAMES = re.compile(r"(-\w|--[\w-]+)(?:,\s*|\s+|$|(?=[<=\[{]))")
CLI11_TYPES = {"INT": "N", "UINT": "N", "FLOAT": "N", "TEXT": "VALUE"}
EXAMPLES = ("example", "exit code", "names for", "columns", "keys", "sizes")


def help_text(program, words):
    """The page as the program prints it, in lines as long as they come."""
    environment = {**os.environ, "COLUMNS": "1000", "LC_ALL": "C.UTF-8", "QT_QPA_PLATFORM": "offscreen",
                   "ASAN_OPTIONS": "detect_leaks=0"}
    done = subprocess.run([program, *words, "--help"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, env=environment, check=False)
    text = done.stdout.decode() or done.stderr.decode()
    if done.returncode != 0 or "--" not in text:
        raise SystemExit("%s --help: exit code %d, %s" % (" ".join([program, *words]), done.returncode, text[:200]))
    return text


def text_column(text):
    """Where the texts of a page's entries begin: where most do that have two blanks before them."""
    found = [entry.start(3) for entry in map(ENTRY.match, map(str.rstrip, text.splitlines()))
             if entry and entry[3]]
    return max(set(found), key=found.count) if found else 0


def entries(lines, column):
    """(name, text) of the lines of a section; a line at the texts' own indent continues the one before."""
    found = []
    for line in lines:
        line = line.rstrip()
        entry = ENTRY.match(line)
        if entry and (len(entry[1]) <= 4 or entry[2].startswith("-") and len(entry[1]) < column):
            name, text = entry[2], entry[3] or ""
            if 4 < column < len(line) and line[column - 1] == " " and line[column] not in " [=":  # a name that reaches to the text
                name, text = line[:column].strip(), line[column:].strip()
            found.append([name, text])
        elif line.strip() and found:
            found[-1][1] = (found[-1][1] + " " + line.strip()).strip()
    return [tuple(one) for one in found]


def option_of(name, text, group):
    names, rest = [], name
    while match := NAMES.match(rest):
        names.append(match[1])
        rest = rest[match.end():].lstrip(" ,")
    rest = re.sub(r"\[[^\]]*\]|\.\.\.|\bREQUIRED\b|\bExcludes:.*|\bNeeds:.*", "", rest).strip().strip("<>=").strip()
    braces = re.search(r":\{([^}]*)\}", rest)
    if rest.startswith("{"):  # a flag whose value may be left out
        return Option(names, "", text, [], group)
    value = re.sub(r"(:(INT|FLOAT|POSITIVE|\{)|\s).*", "", rest)
    if value.split("=")[0] in CLI11_TYPES:  # what follows is the default
        value = value.split("=")[0]
    return Option(names, CLI11_TYPES.get(value, value), text, braces[1].split(",") if braces else [], group)


def sections(text):
    """(heading, lines) of each part of the page; the part before the first heading has the heading ""."""
    parts = [("", [])]
    for line in text.splitlines():
        heading = HEADING.match(line.rstrip())
        if heading and not line.lower().startswith("usage"):
            parts.append((heading[1] or heading[2], []))
        else:
            parts[-1][1].append(line)
    return parts


def parse(words, text):
    parts, column = sections(text), text_column(text)
    first = re.split(r"\n\s*\n|\n(?=[Uu]sage)", "\n".join(parts[0][1]).strip())
    said = [part for part in first if part.strip() and not part.lower().startswith("usage")]
    page = Page(words, " ".join(said[0].split()) if said else "")
    for heading, lines in parts[1:]:
        known = heading.lower()
        if known in ("commands", "subcommands") or known.startswith("programs"):
            page.commands += [(name.split()[0], what) for name, what in entries(lines, column) if name[0].isalpha()]
        elif known in ("arguments", "positionals", "positional arguments"):
            page.arguments += [(name.split()[0].rstrip("."), what) for name, what in entries(lines, column)]
        elif not known.startswith(EXAMPLES):
            group = "" if known == "options" else heading
            page.options += [option_of(name, what, group) for name, what in entries(lines, column) if name.startswith("-")]
    if not page.options:  # a usage text
        values = {}
        for name, value in re.findall(r"(--[a-z][\w-]*)(?: ([A-Z:]+))?", text):
            values[name] = values.get(name) or value
        page.options = [Option([name], value, "") for name, value in values.items()]
    return page


def read(program, name):
    """The program's page with those of all its commands."""
    page = parse([name], help_text(program, []))
    for command, _ in page.commands:
        page.pages[command] = parse([name, command], help_text(program, [command]))
    return page
