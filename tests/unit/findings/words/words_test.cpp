// SPDX-License-Identifier: GPL-2.0-or-later
// The words of each kind of finding, one test a kind: title, sentence and remedy for the made-up facts of
// cases.h are those of words.txt. No other test holds a whole sentence of these; tests/approve accepts a
// change.
#include "cases.h"
#include "catch.h"

#include <fstream>
#include <map>
#include <string>

using namespace iscsiscope;

namespace {

const char *const file = ISCSISCOPE_SOURCE_DIR "/tests/unit/findings/words/words.txt";

struct WordsCase {
    FindingKind kind;
    FindingsResult (*made)();
};
#define ISCSISCOPE_WORDS_CASE(kind, ...) {FindingKind::kind, made::words_of_##kind},
constexpr WordsCase cases[] = {ISCSISCOPE_FINDING_KINDS(ISCSISCOPE_WORDS_CASE)};
#undef ISCSISCOPE_WORDS_CASE

// Title, sentence and remedy, a line each; empty if the facts do not show the kind.
std::string words_now(FindingKind kind) {
    const FindingsResult r = cases[static_cast<std::size_t>(kind)].made();
    const Finding *f = r.find(kind);
    return f != nullptr ? f->title + "\n" + f->sentence + "\n" + f->remedy + "\n" : std::string();
}

// Kind → its lines of words.txt, which stand behind a line `[kind]`.
std::map<std::string, std::string> words_wanted() {
    std::map<std::string, std::string> found;
    std::string *at = nullptr;
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);)
        if (line.starts_with('['))
            at = &found[line.substr(1, line.size() - 2)];
        else if (at != nullptr && !line.empty())
            *at += line + "\n";
    return found;
}

void check_words(FindingKind kind) {
    const std::string now = words_now(kind);
    REQUIRE(!now.empty());
    CHECK(now == words_wanted()[std::string(name(kind))]);
}

} // namespace

#define ISCSISCOPE_WORDS_TEST(kind, ...)                                                                     \
    TEST_CASE("the words of " #kind) {                                                                       \
        check_words(FindingKind::kind);                                                                      \
    }
ISCSISCOPE_FINDING_KINDS(ISCSISCOPE_WORDS_TEST)
#undef ISCSISCOPE_WORDS_TEST

TEST_CASE("words.txt holds the words of each kind, and no others") {
    CHECK(words_wanted().size() == finding_kind_count);
}

// Run by its name alone: tests/approve.
TEST_CASE("accept the words", "[.accept]") {
    std::ofstream out(file);
    out << "# SPDX-License-Identifier: GPL-2.0-or-later\n"
           "# Of each kind of finding its title, sentence and remedy for the facts that words_of_<kind>() "
           "makes.\n";
    for (const WordsCase &c : cases)
        out << "\n[" << name(c.kind) << "]\n" << words_now(c.kind);
}
