// SPDX-License-Identifier: GPL-2.0-or-later
// What runs share with others on the machine: the folder of results, the command lines of the programs.
#include "catch.h"

#include "sample-captures/testbed/run/hidden_secrets.h"
#include "sample-captures/testbed/run/output_folder.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

using namespace iscsiscope::testbed::run;
namespace fs = std::filesystem;

TEST_CASE("a folder takes one run at a time") {
    std::string folder = (fs::temp_directory_path() / "iscsiscope-folder-XXXXXX").string();
    REQUIRE(::mkdtemp(folder.data()) != nullptr);
    {
        auto first = OutputFolder::create(folder + "/out", "a");
        REQUIRE(first.ok());
        const auto second = OutputFolder::create(folder + "/out", "b");
        REQUIRE_FALSE(second.ok());
        CHECK(second.failure().message.find("another run") != std::string::npos);
        CHECK(OutputFolder::create(folder + "/other", "a").ok());
    }
    CHECK(OutputFolder::create(folder + "/out", "b").ok());
    CHECK(fs::is_empty(folder + "/out"));
    fs::remove_all(folder);
}

TEST_CASE("results that cannot all get their names leave those of the run before") {
    std::string folder = (fs::temp_directory_path() / "iscsiscope-folder-XXXXXX").string();
    REQUIRE(::mkdtemp(folder.data()) != nullptr);
    const auto write = [](const std::string &path, const char *text) { std::ofstream(path) << text; };
    const auto content = [](const std::string &path) {
        std::string text;
        std::ifstream(path) >> text;
        return text;
    };
    write(folder + "/old", "before");
    fs::create_directory(folder + "/taken");
    {
        auto made = OutputFolder::create(folder, "a");
        REQUIRE(made.ok());
        for (const char *name : {"old", "new", "taken"})
            write(made.value().temporary(name), "after");
        const auto paths = made.value().publish({"old", "new", "taken"});
        REQUIRE_FALSE(paths.ok());
        CHECK(paths.failure().message.find("taken: Is a directory") != std::string::npos);
        CHECK(content(folder + "/old") == "before");
        CHECK_FALSE(fs::exists(folder + "/new"));
        REQUIRE(made.value().publish({"old", "new"}).ok());
    }
    CHECK(content(folder + "/old") == "after");
    CHECK(content(folder + "/new") == "after");
    CHECK(std::distance(fs::directory_iterator(folder), fs::directory_iterator()) == 3); // nothing hidden
    fs::remove_all(folder);
}

TEST_CASE("CHAP accounts of a scenario do not stand in the programs' command lines") {
    std::vector<std::string> target{"target", "--chap", "me:verysecret1234", "--mutual-chap", "file:there"};
    hide_secrets(target, 0);
    CHECK(target == std::vector<std::string>{"target", "--chap", "env:ISCSISCOPE_CHAP_1", "--mutual-chap",
                                             "file:there"});
    CHECK(std::string(std::getenv("ISCSISCOPE_CHAP_1")) == "me:verysecret1234");
    std::vector<std::string> initiator{"initiator", "iscsi://me%verysecret1234@10.0.0.2/iqn.x/0", "--mutual",
                                       "t%anothersecret"};
    hide_secrets(initiator, 1);
    CHECK(initiator == std::vector<std::string>{"initiator", "iscsi://10.0.0.2/iqn.x/0", "--mutual",
                                                "env:ISCSISCOPE_MUTUAL_CHAP_2", "--chap",
                                                "env:ISCSISCOPE_CHAP_2"});
    CHECK(std::string(std::getenv("ISCSISCOPE_CHAP_2")) == "me:verysecret1234");
    CHECK(std::string(std::getenv("ISCSISCOPE_MUTUAL_CHAP_2")) == "t:anothersecret");
    std::vector<std::string> plain{"initiator", "iscsi://10.0.0.2/iqn.x/0", "--depth", "4"};
    const auto before = plain;
    hide_secrets(plain, 2);
    CHECK(plain == before);
}
