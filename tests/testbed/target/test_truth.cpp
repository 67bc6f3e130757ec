// SPDX-License-Identifier: GPL-2.0-or-later
#include "catch.h"

#include "sample-captures/testbed/common/tcp_info_sampler.h"
#include "sample-captures/testbed/common/truth_file.h"

#include <fstream>
#include <thread>

#include <arpa/inet.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace iscsiscope::testbed;

namespace {

struct Folder {
    Folder() {
        char name[] = "/tmp/iscsiscope-truth-XXXXXX";
        path = ::mkdtemp(name);
    }
    ~Folder() { ::rmdir(path.c_str()); }
    std::string path;
};

std::vector<std::string> lines_of(const std::string &path) {
    std::ifstream in(path);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);)
        lines.push_back(line);
    return lines;
}

std::int64_t number_in(const std::string &line, const std::string &key) {
    const auto at = line.find("\"" + key + "\":");
    REQUIRE(at != std::string::npos);
    return std::stoll(line.substr(at + key.size() + 3));
}

} // namespace

TEST_CASE("a truth file is whole or absent", "[truth]") {
    const Folder folder;
    const std::string path = folder.path + "/t.jsonl";
    {
        TruthFile file;
        REQUIRE_FALSE(file.open(path));
        file.write(TruthRow("a"));
        CHECK(::access(path.c_str(), F_OK) != 0);
    }
    CHECK(::access((path + ".part").c_str(), F_OK) != 0);
    TruthFile file;
    REQUIRE_FALSE(file.open(path));
    file.write(TruthRow("a"));
    REQUIRE_FALSE(file.close());
    CHECK(lines_of(path) == std::vector<std::string>{R"({"row":"a"})"});
    ::unlink(path.c_str());

    const auto failure = file.open(folder.path + "/no/such");
    REQUIRE(failure);
    CHECK(failure->message.find("/no/such") != std::string::npos);
    if (!file.open("/dev/full")) {
        file.write(TruthRow("a"));
        CHECK(file.close());
    }
}

TEST_CASE("the sampler sees what passes over a connection, at its pace", "[truth]") {
    const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    REQUIRE(::bind(listener, reinterpret_cast<sockaddr *>(&address), length) == 0);
    REQUIRE(::listen(listener, 1) == 0);
    REQUIRE(::getsockname(listener, reinterpret_cast<sockaddr *>(&address), &length) == 0);
    const int one = ::socket(AF_INET, SOCK_STREAM, 0);
    REQUIRE(::connect(one, reinterpret_cast<sockaddr *>(&address), length) == 0);
    const int two = ::accept(listener, nullptr, nullptr);

    TcpInfoSampler sampler(std::chrono::milliseconds(2));
    const auto handle = sampler.add(one, "one>two");
    const std::string data(5000, 'x');
    REQUIRE(::write(one, data.data(), data.size()) == 5000);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    sampler.remove(handle);
    sampler.stop();
    for (const int fd : {one, two, listener})
        ::close(fd);

    const Folder folder;
    const std::string path = folder.path + "/t.jsonl";
    TruthFile file;
    REQUIRE_FALSE(file.open(path));
    sampler.write(file, "initiator");
    REQUIRE_FALSE(file.close());
    const auto lines = lines_of(path);
    ::unlink(path.c_str());
    REQUIRE(lines.size() >= 3);
    CHECK(number_in(lines.front(), "bytes_acked") <= 1);
    CHECK(number_in(lines[lines.size() - 2], "bytes_sent") == 5000);
    const std::string &pace = lines.back();
    CHECK(number_in(pace, "set_period_ns") == 2'000'000);
    // A busy machine makes it slower, nothing makes it faster.
    CHECK(number_in(pace, "achieved_period_ns") >= 2'000'000);
    CHECK(number_in(pace, "ticks") >= 1);
    CHECK(number_in(pace, "ticks") <= 51);
    CHECK(number_in(pace, "rows") == static_cast<std::int64_t>(lines.size()) - 1);
}
