// SPDX-License-Identifier: GPL-2.0-or-later
#include "findings/manner.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <sstream>
#include <string_view>

namespace iscsiscope::test {
namespace {

constexpr std::string_view units[] = {"ns", "ms",  "s",   "min", "h",   "B",    "kB",   "MB",  "GB",
                                      "TB", "KiB", "MiB", "GiB", "B/s", "kB/s", "MB/s", "GB/s"};

std::vector<std::string> tokens_of(const std::string &text) {
    std::istringstream in(text);
    std::vector<std::string> tokens;
    for (std::string token; in >> token;) {
        const auto outer = [](char c) {
            return std::string_view("().,;:\"'").find(c) != std::string_view::npos;
        };
        while (!token.empty() && outer(token.back()))
            token.pop_back();
        while (!token.empty() && outer(token.front()))
            token.erase(0, 1);
        if (!token.empty())
            tokens.push_back(token);
    }
    return tokens;
}

bool is_word(const std::string &token) {
    return std::isalpha(static_cast<unsigned char>(token[0])) != 0 &&
           std::find(std::begin(units), std::end(units), token) == std::end(units);
}

// A setting of the Linux kernel or of open-iscsi, which has no other name.
bool is_setting(const std::string &token) {
    return token.starts_with("net.") || token.starts_with("node.") || token == "max_sectors_kb";
}

bool starts_well(const std::string &text) {
    const auto c = static_cast<unsigned char>(text[0]);
    return std::isupper(c) != 0 || std::isdigit(c) != 0 || text.starts_with("iSCSI");
}

// What holds for titles, sentences and remedies alike.
void check_text(std::vector<std::string> &bad, const std::string &what, const std::string &text) {
    if (text.empty()) {
        bad.push_back(what + " is empty");
        return;
    }
    if (!starts_well(text))
        bad.push_back(what + " begins with neither a capital letter nor a digit");
    for (const char *const wrong : {"  ", "()", " .", " ,", "..", ".,", ",.", ";."})
        if (text.find(wrong) != std::string::npos)
            bad.push_back(what + " holds \"" + wrong + "\"");
    // Names of findings are for programs.
    for (const std::string &token : tokens_of(text))
        if (token.find('_') != std::string::npos &&
            std::find(std::begin(finding_names), std::end(finding_names), token) != std::end(finding_names))
            bad.push_back(what + " names the finding " + token);
}

void check_words(std::vector<std::string> &bad, const std::string &what, const std::string &text) {
    if (const std::size_t n = words_in(text); n > max_words)
        bad.push_back(what + " has " + std::to_string(n) + " words");
    if (!text.ends_with('.'))
        bad.push_back(what + " does not end with a full stop");
}

void check_identifiers(std::vector<std::string> &bad, const std::string &what, const std::string &text) {
    for (const std::string &token : tokens_of(text))
        if (token.find('_') != std::string::npos && !is_setting(token))
            bad.push_back(what + " holds the identifier " + token);
}

} // namespace

std::size_t words_in(const std::string &text) {
    const std::vector<std::string> tokens = tokens_of(text);
    return static_cast<std::size_t>(std::count_if(tokens.begin(), tokens.end(), is_word));
}

std::vector<std::string> complaints(const Finding &f) {
    std::vector<std::string> bad;
    check_text(bad, "the title", f.title);
    check_identifiers(bad, "the title", f.title);
    if (f.title.size() > longest_title)
        bad.push_back("the title has " + std::to_string(f.title.size()) + " characters");
    if (f.title.ends_with('.'))
        bad.push_back("the title ends with a full stop");
    check_text(bad, "the sentence", f.sentence);
    check_identifiers(bad, "the sentence", f.sentence);
    check_words(bad, "the sentence", f.sentence);
    check_text(bad, "the remedy", f.remedy);
    // The values in force are facts, not advice.
    const std::string advice = f.remedy.substr(0, f.remedy.find(" In force:"));
    check_words(bad, "the remedy", advice);
    for (const EvidenceFrame &e : f.evidence) {
        const std::string what = "the evidence \"" + e.word + "\"";
        if (e.word.empty() || words_in(e.word) > max_evidence_words)
            bad.push_back(what + " is empty or has too many words");
        check_identifiers(bad, what, e.word);
    }
    return bad;
}

} // namespace iscsiscope::test
