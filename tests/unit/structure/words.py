#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The language of the tree: no private word or phrase where the field has one, in what a user reads, in pages, in
comments and in names of code. BANNED has each with what to write instead; PRINTED and PLACES are the exceptions."""
import re
import sys

import tree

# A blank in a phrase also stands for a line break, with the marks of a comment or of a string around it.
BANNED = (
    (r"as hosts meet", "as is normal during device discovery"),
    (r"times of (?:their|its) own", "issued independently of completions"),
    (r"beside a round trip of", "queueing delay X, base round trip Y"),
    (r"(?:stood|stands?|standing) still", "stalled"),
    (r"spells?", "bursts of I/O; intervals"),
    (r"is no share", "is not a share; expected …"),
    (r"(?:is|are) meant", "expected …; did you mean …?"),
    (r"a name of its own", "must be unique"),
    (r"Again of:|More of: %", "Retransmits, Continues"),
    (r"breaks? the connection off", "aborts the connection"),
    (r"the order nothing follows", "the order is unknown"),
    (r"this header shows of the tags", "recovers task tags missing from this or earlier PDUs"),
    (r"it orders, no more", "used for ranking only"),
    (r"(?:at once|least|one|loop|trip) of late", "recent"),
    (r"a cut does not tell|is told as not known", "values lost to truncation are reported as unknown"),
    (r"half[ _-]?loops?(?:_\w+)?|\w+_half_loops?", "tap-side round trip; tap_rtt"),
    (r"loop_to(?:_\w+)?", "rtt_to"),
    (r"(?:in|into) hand", "work outstanding"),
    (r"(?:nothing_|on_)?unasked(?:_\w+)?", "no task outstanding; of data: unsolicited"),
    (r"BusyTime|SegmentStage|OutageSpell|UnaskedRecord|HalfLoops?|EndLoops?|LoopToSender|LoopSamples",
     "the names that say what the class holds"),
    (r"\bnow_\b", "a name that says what it is of"),
    (r"(?:\w+_)?(?:most|least)_\w+|(?:most|least)_", "max_, min_"),
    (r"(?:most|least)[A-Z][a-z]\w*", "max…, min…"),
    (r"(?:frame|packet|login|command|task|gap|segment|session)s? (?:comes?|passe[sd]|sent|ended|begins?) behind (?:it|them)",
     "after"),
    (r"as the (?:initiator|target|host) has it", "at the initiator"),
    (r"cannot be told|told apart|tells? \w+ apart|tell them apart", "cannot be distinguished"),
    (r"(?:fell|falls) silent", "stopped responding"),
    (r"networks?(?:'s time)? taken off|round trip (?:is )?taken off", "subtracted"),
)

# Names that programs print or read, in which the word stays: columns, JSON keys, values.
PRINTED = {"unasked", "unasked_ns", "half_loop", "least_loaded", "least_loaded_share", "least_delay_ns", "at_least_ns",
           "busy_at_least", "most_lost"}

# Words that are no bound: of Python's library, and of tests.
OTHERS = {"most_common", "senders_with_most_samples"}

# (where, what): files in which a phrase is right.
PLACES = (
    (r"^sample-captures/studies/", r"cannot be told"),  # a verdict of the studies, kept with their results
    (r"^CHANGELOG\.md$", r".*"),  # what was said then
)

READ = (".h", ".cpp", ".in", ".py", ".md", ".txt", ".1", ".js", ".css", ".html", ".sh", ".cmake", ".toml")
NOT_OURS = ("docs/licenses/", "tests/unit/structure/", "tests/fuzz/corpus/", "sample-captures/studies/results/")
GAP = r"(?:[ ]|\s*\n\s*(?:\*|//+|\#)?[ ]*|\"\s*\n\s*(?:f|R)?\"[ ]?|[ ]\"\s*\n\s*(?:f|R)?\")"


def pattern(phrase):
    """The phrase as a regular expression that goes over line breaks; case of the first letter is free."""
    begin = "" if phrase.startswith(r"\b") else r"(?<![\w-])"
    end = r"(?!\w)" if phrase[-1].isalpha() or phrase[-1] in ")?*+_" else ""
    return re.compile(begin + "(?:" + phrase.replace("[ _-]", "\0").replace(" ", GAP).replace("\0", "[ _-]") + ")" + end)


def excepted(name, found):
    word = " ".join(found.split())
    return word in PRINTED or word in OTHERS or any(
        re.search(where, name) and re.search(what, word) for where, what in PLACES)


def mistakes(names):
    banned = [(pattern(phrase), instead) for phrase, instead in BANNED]
    for name in names:
        if not name.endswith(READ) or name.startswith(NOT_OURS):
            continue
        text = tree.text(name)
        for phrase, instead in banned:
            for found in phrase.finditer(text):
                if not excepted(name, found[0]):
                    line = text.count("\n", 0, found.start()) + 1
                    yield '%s:%d: "%s": write: %s' % (name, line, " ".join(found[0].split()), instead)


def main():
    names = tree.files()
    print("phrases looked for: %d; printed names that keep theirs: %d" % (len(BANNED), len(PRINTED)))
    found = sorted(set(mistakes(names)))
    for mistake in found:
        print("WRONG: " + mistake)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
