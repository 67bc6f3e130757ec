// SPDX-License-Identifier: GPL-2.0-or-later
// The words of all findings of the captures at hand: their length, their form, and titles that name one kind.
// The findings of made-up facts are checked where they are made (made_facts.h); what they say is in words/.
#include "catch.h"
#include "findings/look.h"
#include "findings/manner.h"
#include "tests/support/bundle.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

using namespace iscsiscope;

namespace {

// The bundled captures, and the real ones where they are at hand.
std::vector<std::filesystem::path> captures() {
    std::vector<std::filesystem::path> paths = test::bundled_captures();
    const char *set = std::getenv("ISCSISCOPE_CAPTURES");
    const std::filesystem::path folder =
        set != nullptr ? set : std::string(ISCSISCOPE_SOURCE_DIR) + "/../shared/captures";
    if (std::filesystem::is_directory(folder))
        for (const auto &entry : std::filesystem::recursive_directory_iterator(folder))
            if (entry.path().string().ends_with(".pcap.zst") && entry.file_size() < 1'000'000)
                paths.push_back(entry.path());
    return paths;
}

std::string listed(const std::vector<std::string> &lines) {
    std::string all;
    for (const std::string &line : lines)
        all += line + "\n";
    return all;
}

} // namespace

TEST_CASE("the words of findings keep the manner, and a title names one kind") {
    std::map<std::string, FindingKind> kind_of;
    std::set<FindingKind> seen;
    std::size_t findings = 0;
    for (std::size_t i = 0; i < finding_kind_count; ++i) {
        const auto kind = static_cast<FindingKind>(i);
        INFO(title(kind));
        CHECK(title(kind).size() <= test::longest_title);
        CHECK(kind_of.emplace(std::string(title(kind)), kind).second);
    }
    for (const std::filesystem::path &path : captures()) {
        const auto look = look_at(path.string());
        REQUIRE(look);
        for (const Finding &f : look->result.findings) {
            INFO(path.filename().string() << ": " << f.title << "\n" << f.sentence << "\n" << f.remedy);
            CHECK(listed(test::complaints(f)) == "");
            CHECK(kind_of.emplace(f.title, f.kind).first->second == f.kind);
            seen.insert(f.kind);
            ++findings;
        }
    }
    CHECK(seen.size() >= 10);
    std::printf("FIGURE: findings, words checked: %zu of %zu kinds\n", findings, seen.size());
}

TEST_CASE("the check of the words finds what breaks the manner") {
    Finding f;
    f.title = "Packets are lost on the way to the target";
    f.sentence = "12 of 3,000 segments (0.4 %) were lost in 2.13 s. Set net.ipv4.tcp_sack if you like.";
    f.remedy = "Find where they are lost. In force: FirstBurstLength=65536.";
    CHECK(test::complaints(f).empty());
    CHECK(test::words_in("12 segments (0.4 %) in 2.13 s at 5 MB/s") == 3);
    const auto spoiled = [&](std::string Finding::*part, const std::string &text) {
        Finding g = f;
        g.*part = text;
        return test::complaints(g).size();
    };
    CHECK(spoiled(&Finding::title, std::string(61, 'A')) == 1);
    CHECK(spoiled(&Finding::title, "Packets are lost.") == 1);
    CHECK(spoiled(&Finding::title, "The packet_loss is high") ==
          2); // an identifier, and the name of a finding
    CHECK(spoiled(&Finding::sentence, "Packets are lost") == 1);
    CHECK(spoiled(&Finding::sentence, "packets are lost.") == 1);
    CHECK(spoiled(&Finding::sentence, "The mean queue_length was 3.") == 1);
    CHECK(spoiled(&Finding::sentence, "") >= 1);
    std::string many = "A";
    for (std::size_t i = 1; i <= test::max_words; ++i)
        many += " word";
    CHECK(spoiled(&Finding::remedy, many + ".") == 1);
    CHECK(spoiled(&Finding::remedy, "Look there (see slow_target).") == 1);
    Finding with_evidence = f;
    with_evidence.evidence.push_back({1, ""});
    CHECK(test::complaints(with_evidence).size() == 1);
}
