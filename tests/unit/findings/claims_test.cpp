// SPDX-License-Identifier: GPL-2.0-or-later
// docs/ledger.md: its table of causes, owners and findings is made from the claims. ISCSISCOPE_WRITE_DOCS=1
// writes it.
#include "catch.h"

#include "analyzer/findings/claims.h"

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

using namespace iscsiscope;

namespace {

const std::string path = ISCSISCOPE_SOURCE_DIR "/docs/ledger.md";
const std::string begin = "| cause | whose | findings that may claim it |\n| --- | --- | --- |\n";

// A row a cause and owner; a cause that no finding claims has one row.
std::string table() {
    std::string all = begin;
    for (std::size_t c = 0; c < cause_count; ++c) {
        const auto cause = static_cast<Cause>(c);
        bool any = false;
        for (std::size_t o = 0; o < owner_count; ++o) {
            const auto owner = static_cast<Owner>(o);
            std::string kinds;
            for (std::size_t k = 0; k < finding_kind_count; ++k)
                if (const auto kind = static_cast<FindingKind>(k); may_claim(kind, cause, owner))
                    kinds += (kinds.empty() ? "`" : ", `") + std::string(name(kind)) + "`";
            if (!kinds.empty())
                all += (any ? "| | " : "| `" + std::string(name(cause)) + "` | ") + std::string(name(owner)) +
                       " | " + kinds + " |\n";
            any = any || !kinds.empty();
        }
        if (!any)
            all += "| `" + std::string(name(cause)) + "` | any | none |\n";
    }
    return all;
}

} // namespace

TEST_CASE("the page on the ledger states which findings may claim what") {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    std::string page = text.str();
    const std::size_t at = page.find(begin);
    REQUIRE(at != std::string::npos);
    const std::size_t end =
        page.find("\n\n", at) == std::string::npos ? page.size() : page.find("\n\n", at) + 1;
    if (const char *write = std::getenv("ISCSISCOPE_WRITE_DOCS"); write != nullptr) {
        page.replace(at, end - at, table());
        std::ofstream(path) << page;
        return;
    }
    CHECK(page.substr(at, end - at) == table());
}
