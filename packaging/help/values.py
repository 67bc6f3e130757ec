# SPDX-License-Identifier: GPL-2.0-or-later
"""What a value can be that a page of --help describes in words only. tests/packaging holds the choices against the
page: a word that it does not name is a mistake there.

A value is one of
  Choice(words)    one of these words
  Listed(command)  one of the lines that this command prints, a pipeline of sh
  FILES, FOLDERS   a path
  NOTHING          no help is possible: a number, a time, an expression
"""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Choice:
    words: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Listed:
    command: str
    parts: bool = False  # several, separated by commas
    files: bool = False  # or a file


FILES, FOLDERS, NOTHING = "files", "folders", "nothing"

SCENARIOS = Listed("iscsiscope-testbed list 2>/dev/null | cut -d ' ' -f 1", files=True)
TERMS = Listed("iscsiscope explain 2>/dev/null | sed -n 's/^  //p' | tr -d ' ' | tr ',' '\\n'")
TABLES = Listed("iscsiscope columns 2>/dev/null | sed -n 's/^\\([a-z_]*\\)  .*/\\1/p'")


def columns_of(command):
    return Listed("iscsiscope columns %s 2>/dev/null | sed -n 's/^  \\([a-z_0-9]*\\)  (.*/\\1/p'" % command, parts=True)


def choice(text):
    return Choice(tuple(text.split()))


# By program, command ("" for the program itself) and option or argument; a command "*" stands for all others.
VALUES = {
    "iscsiscope": {
        ("report", "--format"): choice("text json html sqlite csv"),
        ("compare", "--format"): choice("text json"),
        ("predict", "--format"): choice("text json"),
        ("explain", "--format"): choice("text json markdown man"),
        ("columns", "--format"): choice("text json"),
        ("*", "--format"): choice("csv jsonl"),
        ("*", "--position"): choice("auto initiator target"),
        ("explain", "TERM"): TERMS,
        ("columns", "COMMAND"): TABLES,
        **{(command, "--columns"): columns_of(command) for command in
           ("pdus", "cycles", "bursts", "gaps", "ledger", "connections", "tcp")},
    },
    "iscsiscope-testbed": {
        ("*", "SCENARIO"): SCENARIOS,
        ("papers", "NAME"): choice("latency mirror speed-step apt raid mirror-reasons apt-reasons raid-reasons"),
        ("selftest", "PART"): choice("shim"),
        ("*", "--output"): FOLDERS,
        ("watch", "--write"): FILES,
        ("initiator", "--truth"): FILES,
        ("stream", "--truth"): FILES,
        ("initiator", "--dispatch"): choice("round-robin least-loaded first-free"),
        ("initiator", "--unsolicited"): choice("negotiated immediate none"),
        ("initiator", "--workload"): choice("seq-read seq-write rand-read rand-write const-read const-write mixed"),
        ("initiator", "--progress"): choice("none text jsonl"),
        ("initiator", "--apt-left"): choice("paper golden"),
        ("*", "--congestion"): choice("reno cubic bbr"),
        ("stream", "--congestion"): NOTHING,
    },
    "iscsiscope-gui": {
        ("", "--view"): choice("overview timeline ladder cycles details model compare testbed start"),
        ("", "--colours"): choice("light dark system"),
        ("", "--run"): SCENARIOS,
    },
}
PATHS = {"FILE", "BEFORE", "AFTER"}


def value_of(page, name, shown="", choices=()):
    """What an option or argument takes. `name`: the long name, `shown`: what stands for the value on the page."""
    table, command = VALUES.get(page.words[0], {}), page.words[1] if len(page.words) > 1 else ""
    for key in ((command, name), ("*", name)):
        if key in table:
            return table[key]
    if choices:
        return Choice(tuple(choices))
    if shown == "on|off":
        return Choice(("on", "off"))
    return FILES if (shown or name) in PATHS else NOTHING


def argument_of(page):
    """What stands where no option does: a command where there are some, else what the page's first argument takes."""
    if page.commands:
        return Choice(tuple(command for command, _ in page.commands))
    return value_of(page, page.arguments[0][0]) if page.arguments else NOTHING
