#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""No class has more than 20 fields or 20 methods, as cpp_members.py counts them, but for those of large_classes.txt,
and these only become smaller: the numbers there are those that they have. With --list, prints what that file would be
now, and judges nothing.

The rule is for what has behaviour: a class with more than that has two jobs, since nobody holds so many states or
functions in mind at once. A record has none: it is as wide as the table that it is a row of. So a record may have any
number of fields. A record is a class of which all fields are public and each method that somebody wrote is a
constructor, or reads alone: it is static or const, not virtual, and so short that its body is in the class."""
import sys

import class_texts
import tree
from cpp_members import Members
from cpp_source import NotUnderstood, Source, definitions

MOST = 20  # fields, and methods
ROOMS = ("analyzer/", "plugin/", "gui/", "sample-captures/testbed/")
CODE = (".h", ".cpp", ".h.in", ".cpp.in")
LIST = "tests/unit/structure/large_classes.txt"
HEAD = """\
# SPDX-License-Identifier: GPL-2.0-or-later
# Classes above 20 fields or 20 methods (class_size.py says what counts): class, fields, methods. A line may only be
# lowered or go; it must when its class becomes smaller. class_size.py --list prints this file as it would be now.
"""
AT_LEAST = 900  # classes of the tree: fewer would say that the search finds none


def reads_alone(method):
    return (method.body and bool(method.words & {"const", "static"})
            and not method.words & {"virtual", "override", "final"})


class Count:
    """The size of a class, with the place of its definition."""

    def __init__(self, members, place):
        written = [method for method in members.methods if not method.given]
        self.fields, self.methods, self.place = len(members.fields), len(written), place
        self.record = members.open and all(m.kind == "constructor" or reads_alone(m) for m in written)

    def size(self):
        return self.fields, self.methods

    def large(self):
        return self.methods > MOST or (self.fields > MOST and not self.record)


def counts(text, place=""):
    """Name and Count of each class of a source."""
    source = Source(text)
    for name, key, brace in definitions(source):
        yield name, Count(Members(source, key, brace), "%s:%d" % (place, source.line(key)))


def misread():
    """The made-up classes of which something else is counted than what they have."""
    for title, text, right in class_texts.CASES:
        try:
            found = sorted((name, *count.size(), count.record) for name, count in counts(text))
        except NotUnderstood as error:
            found = error
        if found != sorted(right):
            yield "of made-up classes, %s: %s is right, %s was counted" % (title, sorted(right), found)
    for text in class_texts.NOT_UNDERSTOOD:
        try:
            yield "of made-up classes: %s was counted as %s" % (text, [count.size() for _, count in counts(text)])
        except NotUnderstood:
            pass


def of_tree():
    """Name and Count of each class, and what could not be read."""
    found, mistakes = [], []
    for name in tree.files():
        if name.startswith(ROOMS) and name.endswith(CODE):
            try:
                found.extend(counts(tree.text(name), name))
            except (NotUnderstood, IndexError, KeyError) as error:
                mistakes.append("%s cannot be read: %r" % (name, error))
    if len(found) < AT_LEAST:
        mistakes.append("only %d classes were found, fewer than %d" % (len(found), AT_LEAST))
    return found, mistakes


def listed(text):
    """The lines of the list as a dictionary: class to (fields, methods); and what is wrong with them."""
    sizes, names, mistakes = {}, [], []
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        parts = line.rsplit(" ", 2)
        if len(parts) != 3 or not parts[1].isdigit() or not parts[2].isdigit():
            mistakes.append("%s: not a class and two numbers: %s" % (LIST, line))
            continue
        names.append(parts[0])
        sizes[parts[0]] = (int(parts[1]), int(parts[2]))
    if names != sorted(set(names)):
        mistakes.append("%s: not sorted, or a class twice" % LIST)
    return sizes, mistakes


def in_words(size):
    return "%d fields and %d methods" % size


def compared(found, sizes):
    """What has become too large, and which lines of the list are no longer true."""
    large = {name: count for name, count in found if count.large()}
    all_names = {name for name, _ in found}
    for name, count in sorted(large.items()):
        now, noted = count.size(), sizes.get(name)
        if noted is None:
            yield "%s (%s) has %s, more than %d: it is two classes" % (name, count.place, in_words(now), MOST)
        elif now[0] > noted[0] or now[1] > noted[1]:
            yield "%s (%s) has grown to %s; %s lists %s" % (name, count.place, in_words(now), LIST, in_words(noted))
        elif now != noted:
            yield "%s has become smaller: its line in %s must be lowered to %d %d" % (name, LIST, *now)
    for name in sorted(set(sizes) - set(large)):
        why = "is no longer too large" if name in all_names else "is no longer there"
        yield "%s %s: its line in %s must go" % (name, why, LIST)
    for name in sorted(large):
        if sum(1 for other, count in found if other == name and count.large()) > 1:
            yield "two large classes have the name %s: the list cannot tell them apart" % name


def misjudged():
    """The made-up sizes of which something else is said than what is to be said."""
    for size, noted, right in class_texts.JUDGED:
        text = size and "class C { %s %s };" % (
            " ".join("int f%d;" % i for i in range(size[0])), " ".join("void m%d();" % i for i in range(size[1])))
        said = list(compared(list(counts(text or "")), {"C": noted} if noted else {}))
        if (len(said) != 1 or right not in said[0]) if right else said:
            yield "of made-up sizes, %s where %s is listed: %s is right, said was %s" % (size, noted, right, said)


def main():
    found, mistakes = of_tree()
    large = sorted((name, *count.size()) for name, count in found if count.large())
    if sys.argv[1:] == ["--list"]:
        print(HEAD + "".join("%s %d %d\n" % line for line in large), end="")
        return 0
    sizes, wrong_lines = listed(tree.text(LIST))
    mistakes += [*misread(), *misjudged(), *wrong_lines, *compared(found, sizes)]
    print("FIGURE: classes: %d, %d of them records; above %d fields or methods: %d" % (
        len(found), sum(count.record for _, count in found), MOST, len(large)))
    for mistake in mistakes:
        print("WRONG: " + mistake)
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
