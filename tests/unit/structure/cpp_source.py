# SPDX-License-Identifier: GPL-2.0-or-later
"""The tokens of a C++ source without its comments and preprocessor lines, and the classes that it defines."""
import bisect
import re

TOKEN = re.compile(r"""
      (?P<skipped> \s+ | //[^\n]* | /\*.*?\*/ | \#(?:\\.|[^\n\\])* )
    | (?P<text> (?:u8|[uUL])? R"(?P<mark>[^()\\\s]*)\(.*?\)(?P=mark)"
              | (?:u8|[uUL])? "(?:\\.|[^"\\])*" | (?:u8|[uUL])? '(?:\\.|[^'\\])+' )
    | \.?\d(?:[eEpP][+-]|'\w|[\w.])* | [A-Za-z_]\w*
    | :: | ->\*? | \.\.\. | <=> | << | [<=!+*/%&|^-]= | && | \|\| | \+\+ | -- | .
    """, re.VERBOSE | re.DOTALL)
CLOSING = {"(": ")", "[": "]", "{": "}"}
KEYS = ("class", "struct", "union")
NAME = re.compile(r"[A-Za-z_]\w*\Z")


class NotUnderstood(Exception):
    """A place in a source that these rules cannot read."""


class Source:
    """The tokens of a source, a literal in quotes as "", each with its line; partner has the closing bracket of each
    opening one. Of `#if` and `#else` both parts are there."""

    def __init__(self, text):
        self.tokens, self.partner, places, open_ = [], {}, [], []
        for match in TOKEN.finditer(text):
            if match.lastgroup == "skipped":
                continue
            token = match.group() if match.lastgroup is None else '""'
            if token in CLOSING:
                open_.append(len(self.tokens))
            elif token in ")]}":
                if not open_ or CLOSING[self.tokens[open_[-1]]] != token:
                    raise NotUnderstood("line %d: no partner of %s" % (text.count("\n", 0, match.start()) + 1, token))
                self.partner[open_.pop()] = len(self.tokens)
            self.tokens.append(token)
            places.append(match.start())
        self.places, self.lines = places, [match.start() for match in re.finditer("\n", text)]
        if open_:
            raise NotUnderstood("line %d: no partner of %s" % (self.line(open_[-1]), self.tokens[open_[-1]]))

    def line(self, at):
        return bisect.bisect_left(self.lines, self.places[at]) + 1

    def past(self, at):
        """The index behind the bracket that closes the one at this index."""
        return self.partner[at] + 1

    def past_angle(self, at):
        """The index behind the > that closes the < at this index, None where it is a comparison."""
        depth = 0
        while at < len(self.tokens):
            token = self.tokens[at]
            if token == "<":
                depth += 1
            elif token == ">":
                depth -= 1
                if depth == 0:
                    return at + 1
            elif token in CLOSING:
                at = self.partner[at]
            elif token in (";", ")", "]", "}"):
                return None
            at += 1
        return None

    def past_template(self, at):
        """As past_angle(), where the < must begin arguments or parameters of a template."""
        end = self.past_angle(at)
        if end is None:
            raise NotUnderstood("line %d: no partner of <" % self.line(at))
        return end

    def past_attributes(self, at):
        while True:
            if self.tokens[at:at + 2] == ["[", "["]:
                at = self.past(at)
            elif self.tokens[at] in ("alignas", "__attribute__"):
                at = self.past(at + 1)
            else:
                return at

    def past_name(self, at):
        """The index behind a name with its qualifiers and template arguments."""
        while NAME.match(self.tokens[at]) and self.tokens[at] != "final":
            at += 1
            if self.tokens[at] == "<":
                at = self.past_template(at)
            if self.tokens[at] != "::":
                break
            at += 1
        return at

    def past_class_name(self, at):
        """Of a class's key at this index: where its name begins and the index behind it."""
        begin = self.past_attributes(at + 1)
        return begin, self.past_name(begin)

    def opened(self, at):
        """Of a class's key at this index: the index of the brace that begins its definition, None where it is
        another use of the key."""
        _, at = self.past_class_name(at)
        if self.tokens[at] == "final":
            at += 1
        if self.tokens[at] == ":":
            while self.tokens[at] not in ("{", ";", ")", "}"):
                at = self.past(at) if self.tokens[at] in CLOSING else at + 1
        return at if self.tokens[at] == "{" else None


def definitions(source):
    """Of each class that is defined in a source, also within another one or a function: its name with all scopes, the
    index of its key and that of its opening brace. Unnamed namespaces have no part in a name, a class without one is
    called by the line of its brace."""
    tokens, scopes, at = source.tokens, [], 0
    while at < len(tokens):
        while scopes and scopes[-1][0] < at:
            scopes.pop()
        if tokens[at] == "namespace" and tokens[at - 1] != "using":
            end = source.past_name(at + 1)
            if tokens[end] == "{":
                scopes.append((source.partner[end], "".join(tokens[at + 1:end])))
            at = end
        elif tokens[at] in KEYS and tokens[at - 1] != "enum":
            brace = source.opened(at)
            if brace is not None:
                begin, end = source.past_class_name(at)
                name = "".join(tokens[begin:end]) or "unnamed-%d" % source.line(brace)
                scopes.append((source.partner[brace], name))
                yield "::".join(scope for _, scope in scopes if scope), at, brace
        at += 1
