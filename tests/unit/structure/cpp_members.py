# SPDX-License-Identifier: GPL-2.0-or-later
"""Fields and methods of a class, read from its definition (cpp_source.py).

Fields are the data of an object: every name that a declaration declares is one, bit fields too; static data and bits
without a name are none; those of a union or struct without a name and object belong to the class around it.

Methods are all functions that the class declares: each overload, template, operator and signal, static ones,
constructors and the destructor, whether its body is there or elsewhere, since each is one more thing to know of the
class. What is `= default` or `= delete` is none, for nobody wrote it; nor is a friend.

Types, aliases, enumerations, assertions and the macros of Qt are neither. A nested class counts for itself."""
import dataclasses
import re

from cpp_source import CLOSING, KEYS, NAME, NotUnderstood

ACCESS = {"public": "public", "protected": "protected", "private": "private", "signals": "public"}
QT_MACRO = re.compile(r"Q_[A-Z_]+\Z")
TO_SEMICOLON = ("using", "typedef", "friend", "static_assert")
WITH_BRACKETS = ("decltype", "explicit", "noexcept")  # may have some that are no parameters
NO_NAME = frozenset("""auto bool char char8_t char16_t char32_t const consteval constexpr constinit double explicit
    float inline int long mutable short signed static thread_local typename unsigned virtual void volatile
    wchar_t""".split())


@dataclasses.dataclass
class Method:
    name: str
    words: set  # static, virtual, const, override, final
    kind: str = ""  # constructor, destructor
    body: bool = False  # in the class
    given: bool = False  # = default, = delete


class Members:
    """What a class has: fields (names), methods, and open: whether all of its fields are public."""

    def __init__(self, source, key, brace):
        self.source, self.tokens = source, source.tokens
        begin, end = source.past_class_name(key)
        self.own_name = next(iter(re.findall(r"(\w+)(?:<.*>)?\Z", "".join(source.tokens[begin:end]))), "")
        self.access = "private" if source.tokens[key] == "class" else "public"
        self.fields, self.methods, self.open = [], [], True
        at, end = brace + 1, source.partner[brace]
        while at < end:
            at = self.member(at)

    def wrong(self, at):
        return NotUnderstood("line %d: a member of %s near %s" % (
            self.source.line(at), self.own_name, " ".join(self.tokens[max(at - 3, 0):at + 2])))

    def member(self, at):
        """Takes what begins at this index; returns the index behind it."""
        word, following = self.tokens[at], self.tokens[at + 1]
        if word == ";":
            return at + 1
        if word in ACCESS and (following == ":" or self.tokens[at + 1:at + 3] == ["slots", ":"]):
            self.access = ACCESS[word]
            return at + (2 if following == ":" else 3)
        if QT_MACRO.match(word):
            return self.source.past(at + 1) if following == "(" else at + 1
        return self.declaration(at)

    def past_statement(self, at, may_be_body):
        while self.tokens[at] != ";":
            if self.tokens[at] == "{" and may_be_body:
                return self.source.past(at)
            at = self.source.past(at) if self.tokens[at] in CLOSING else at + 1
        return at + 1

    def past_constraint(self, at):
        """The index behind a requires clause, whose keyword is before this index."""
        while True:
            if self.tokens[at] == "requires":
                at += 1
                if self.tokens[at] == "(":
                    at = self.source.past(at)
                at = self.source.past(at)
            else:
                at = self.source.past(at) if self.tokens[at] == "(" else self.source.past_name(at)
            if self.tokens[at] not in ("&&", "||"):
                return at
            at += 1

    def past_expression(self, at, ends):
        """The index of the first of these tokens that is not in brackets or template arguments."""
        while self.tokens[at] not in ends:
            end = self.source.past_angle(at) if self.tokens[at] == "<" and NAME.match(self.tokens[at - 1]) else None
            if self.tokens[at] in CLOSING:
                at = self.source.past(at)
            elif end is not None and self.tokens[end] in ("(", "{", "::", ",", ";"):
                at = end
            else:
                at += 1
        return at

    def add_field(self, name, words):
        if "static" not in words:
            self.fields.append(name)
            self.open = self.open and self.access == "public"

    def declaration(self, at):
        """Takes a declaration of fields, of a method or of a type."""
        words, name, other = set(), None, False  # other: it may declare nothing that counts
        while True:
            at = self.source.past_attributes(at)
            word = self.tokens[at]
            if word in (",", ";"):
                if name is not None:
                    self.add_field(name, words)
                elif not other:
                    raise self.wrong(at)
                name, at = None, at + 1
                if word == ";":
                    return at
            elif word in TO_SEMICOLON:
                return self.past_statement(at, word == "friend")
            elif word == "template":
                at = self.source.past_template(at + 1)
            elif word == "requires":
                at = self.past_constraint(at + 1)
            elif word == "enum":
                other, at = True, self.past_enumeration(at)
            elif word in KEYS:
                other, at = True, self.past_class(at)
            elif word == "operator":
                return self.operator(at, words)
            elif word == "~":
                return self.method(at + 2, Method("~" + self.own_name, words, "destructor"))
            elif word == "(":
                at, name = self.pointer(at)
                if name is None:
                    name = self.tokens[at - 1]
                    kind = "constructor" if name == self.own_name else ""
                    if not NAME.match(name) or (name.isupper() and not kind):  # else a macro
                        raise self.wrong(at)
                    return self.method(at, Method(name, words - {"const"}, kind))
            elif word == "<":
                at = self.source.past_template(at)
            elif word in ("[", "{"):
                at = self.source.past(at)
            elif word == "=":
                at = self.past_expression(at + 1, (",", ";"))
            elif word == ":":
                if name is None or self.tokens[at - 2] == "::":
                    other, name = True, None
                at = self.past_expression(at + 1, (",", ";", "=", "{"))
            elif word in WITH_BRACKETS and self.tokens[at + 1] == "(":
                at = self.source.past(at + 1)
            else:
                if word in NO_NAME:
                    words.add(word)
                elif NAME.match(word):
                    name = word
                elif word not in ("::", "*", "&", "&&", "..."):
                    raise self.wrong(at)
                at += 1

    def past_enumeration(self, at):
        """The index behind an enumeration's definition or name."""
        if self.tokens[at + 1] not in ("{", ":", *KEYS) and NAME.match(self.tokens[at + 2]):
            return at + 2
        while self.tokens[at] not in ("{", ";"):
            at += 1
        return self.source.past(at) if self.tokens[at] == "{" else at

    def past_class(self, at):
        """The index behind a class's definition or name. The members of an unnamed one without objects are own."""
        brace = self.source.opened(at)
        begin, end = self.source.past_class_name(at)
        if brace is None:
            return end
        end_of_body = self.source.past(brace)
        if begin == end and self.tokens[end_of_body] == ";":
            inner = Members(self.source, at, brace)
            for name in inner.fields:
                self.add_field(name, ())
        return end_of_body

    def pointer(self, at):
        """Of brackets at this index: the index behind the declarator of a pointer to a function or an array that they
        begin, with its name; or the same index and None where they are the parameters of a method."""
        inner, end = at + 1, self.source.partner[at]
        while NAME.match(self.tokens[inner]) and self.tokens[inner + 1] == "::":
            inner += 2
        if self.tokens[inner] not in ("*", "&"):
            return at, None
        name = next((token for token in reversed(self.tokens[inner:end]) if NAME.match(token)), None)
        if name is None or self.tokens[end + 1] not in ("(", "["):
            raise self.wrong(at)
        return self.source.past(end + 1), name

    def operator(self, at, words):
        begin = at
        at += 3 if self.tokens[at + 1:at + 3] == ["(", ")"] else 2
        while self.tokens[at] != "(":
            at = self.source.past_template(at) if self.tokens[at] == "<" else at + 1
        return self.method(at, Method("".join(self.tokens[begin:at]), words - {"const"}))

    def method(self, at, method):
        """Takes what follows the name of a method, from its parameters on."""
        at = self.source.past(at)
        while True:
            word = self.tokens[at]
            if word == "{":
                method.body, at = True, self.source.past(at)
            elif word == "=":
                method.given = self.tokens[at + 1] in ("default", "delete")
                at = self.past_expression(at, (";",))
            elif word == ":":
                at = self.past_initialisers(at + 1)
                continue
            elif word == "requires":
                at = self.past_constraint(at + 1)
                continue
            elif word == "<":
                at = self.source.past_template(at)
                continue
            elif word in (",", "}"):
                raise self.wrong(at)
            elif word != ";":
                method.words.add(word)
                at = self.source.past(at) if word in CLOSING else at + 1
                continue
            self.methods.append(method)
            return at

    def past_initialisers(self, at):
        """The index of a constructor's body, from behind the colon on."""
        while True:
            at = self.source.past(self.source.past_name(at))
            if self.tokens[at] == "...":
                at += 1
            if self.tokens[at] != ",":
                return at
            at += 1
