// SPDX-License-Identifier: GPL-2.0-or-later
// The whole engine over every real capture.
#include "catch.h"

#include "analyzer/cycles/engine.h"
#include "conversation.h"
#include "tests/support/each_segment.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <sstream>

using namespace iscsiscope;
using namespace iscsiscope::test;

namespace {

std::filesystem::path folder() {
    const char *given = std::getenv("ISCSISCOPE_CAPTURES");
    return given != nullptr ? std::filesystem::path(given)
                            : std::filesystem::path(ISCSISCOPE_SOURCE_DIR) / ".." / "shared" / "captures";
}

std::vector<std::filesystem::path> captures() {
    std::vector<std::filesystem::path> found;
    std::error_code error;
    for (const auto &entry : std::filesystem::directory_iterator(folder(), error))
        if (entry.path().extension() == ".zst")
            found.push_back(entry.path());
    std::sort(found.begin(), found.end());
    if (found.empty())
        std::cout << "SKIPPED: no captures in " << folder().string() << " (set ISCSISCOPE_CAPTURES)\n";
    return found;
}

// With what the tcp room found of each repeat.
struct Repeats final : Recording, Sink<RetransmissionRecord> {
    std::map<std::pair<StreamId, FrameNumber>, RetransmissionClass> of; // by stream and frame
    void subscribe(RecordTables &to) override {
        Recording::subscribe(to);
        to.add<RetransmissionRecord>(*this);
    }
    void on(const RetransmissionRecord &r) override { of[{r.stream, r.frame}] = r.kind; }
};

// The kind of a gap that a retransmission ended agrees with the class of the retransmission.
void check_agreement(const GapRecord &gap, const Repeats &repeats) {
    using enum RetransmissionClass;
    if (gap.kind != GapKind::fast_retransmit && gap.kind != GapKind::retransmission_timeout)
        return;
    REQUIRE(gap.after_frame);
    const auto found = repeats.of.find({gap.stream, *gap.after_frame});
    INFO("frame " << *gap.after_frame);
    REQUIRE(found != repeats.of.end());
    if (gap.kind == GapKind::retransmission_timeout)
        REQUIRE(found->second == timeout);
    else
        REQUIRE((found->second == fast || found->second == tail_probe));
}

void run(const std::filesystem::path &path, RecordSink &sink) {
    RecordTables tables(sink);
    Engine engine(tables);
    REQUIRE(test::each_segment(path.string(), tables, [&](const Segment &s) { engine.feed(s); }).empty());
    engine.finish();
}

// The number behind "SCSI Command" in the independent walker's answer; none if there is no such file.
std::optional<std::uint64_t> commands_walked(const std::filesystem::path &capture) {
    std::filesystem::path walk = capture;
    walk.replace_extension(".walk.json");
    std::ifstream file(walk);
    if (!file)
        return std::nullopt;
    std::stringstream text;
    text << file.rdbuf();
    const std::string all = text.str(), key = "\"SCSI Command\": ";
    const auto found = all.find(key);
    return found == std::string::npos ? 0 : std::strtoull(all.c_str() + found + key.size(), nullptr, 10);
}

template <class Key>
void print(const char *what, const std::map<Key, std::uint64_t> &counts) {
    std::cout << "  " << what << ":";
    for (const auto &[kind, count] : counts)
        std::cout << " " << name(kind) << " " << count;
    std::cout << "\n";
}

// request frame, response frame → response time, as tshark has it.
std::map<std::pair<std::uint64_t, std::uint64_t>, std::int64_t>
tshark_tasks(const std::filesystem::path &path) {
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::int64_t> tasks;
    const std::string command = "tshark -r '" + path.string() +
                                "' -o iscsi.bogus_pdu_max_data_len:16777216 -Y iscsi.time -T fields"
                                " -e frame.number -e iscsi.request_frame -e iscsi.time 2>/dev/null";
    std::FILE *pipe = ::popen(command.c_str(), "r");
    if (pipe == nullptr)
        return tasks;
    char line[4096];
    while (std::fgets(line, sizeof line, pipe) != nullptr) {
        std::stringstream fields(line);
        std::string frame, requests, times;
        fields >> frame >> requests >> times;
        std::stringstream request(requests), time(times);
        std::string r, t;
        while (std::getline(request, r, ',') && std::getline(time, t, ',')) {
            const auto point = t.find('.');
            const std::int64_t ns = std::stoll(t.substr(0, point)) * 1'000'000'000 +
                                    std::stoll((t.substr(point + 1) + "000000000").substr(0, 9));
            tasks[{std::stoull(r), std::stoull(frame)}] = ns;
        }
    }
    ::pclose(pipe);
    return tasks;
}

} // namespace

TEST_CASE("every task of every capture has an outcome, and all partitions are exact") {
    for (const auto &path : captures()) {
        Repeats sink;
        run(path, sink);
        INFO(path.filename().string());
        std::map<TaskOutcome, std::uint64_t> outcomes;
        std::map<GapKind, std::uint64_t> kinds;
        std::set<CycleId> numbers;
        std::uint64_t commands = 0, tasks = 0;
        for (const CycleRecord &r : sink.cycles) {
            ++outcomes[r.outcome];
            commands += r.cmd_sn ? 1 : 0;
            REQUIRE(numbers.insert(r.cycle).second);
            REQUIRE(r.has_phases == r.response_time.has_value());
            if (r.has_phases) {
                REQUIRE(sum(r.phases) == *r.response_time);
                REQUIRE(r.phases.status_wait >= Duration{});
            }
            if (r.cycle_time)
                REQUIRE(*r.cycle_time == sum(r.phases) + *r.next_command_wait);
            REQUIRE(r.idle.value_or(Duration{-1}) >= Duration{});
            REQUIRE(*r.idle <= (r.end - r.start) + r.next_command_wait.value_or(Duration{}));
        }
        REQUIRE((numbers.empty() || numbers.rbegin()->number + 1 == numbers.size()));
        std::map<StreamId, Time> ends; // end of the last gap, by stream
        for (const GapRecord &gap : sink.gaps) {
            ++kinds[gap.kind];
            check_agreement(gap, sink);
            REQUIRE(gap.start >= ends[gap.stream]);
            ends[gap.stream] = gap.start + gap.length;
            REQUIRE(gap.path + gap.end_part + gap.without_task == gap.length);
            REQUIRE(std::min({gap.path, gap.end_part, gap.without_task}) >= Duration{});
        }
        std::map<StreamId, Duration> owned; // by stream
        for (const LedgerEntry &o : sink.owned) {
            REQUIRE(o.length > Duration{});
            owned[o.stream] += o.length;
        }
        std::map<StreamId, Duration> without_task; // by stream
        std::map<StreamId, Time> asked;            // end of the last interval without a task, by stream
        for (const NoTaskRecord &u : sink.without_task) {
            REQUIRE(u.start >= asked[u.stream]);
            REQUIRE(u.length > Duration{});
            asked[u.stream] = u.start + u.length;
            without_task[u.stream] += u.length;
        }
        for (const ConnectionRecord &c : sink.connections) {
            tasks += c.tasks;
            if (!c.active_start)
                continue;
            if (c.without_task) {
                REQUIRE(*c.without_task == without_task[c.stream]);
                REQUIRE(*c.busy() >= Duration{});
                REQUIRE(*c.busy() + *c.without_task == *c.active_end - *c.active_start);
                REQUIRE(asked[c.stream] <= *c.active_end);
                REQUIRE(c.owners.sum() == *c.busy());
                INFO(c.stream);
                REQUIRE(owned[c.stream] == *c.busy());
            }
            Duration all = c.transfer;
            for (const Duration d : c.gap_time)
                all += d;
            REQUIRE(c.transfer >= Duration{});
            REQUIRE(all == *c.active_end - *c.active_start);
        }
        REQUIRE(tasks == sink.cycles.size());
        std::cout << path.filename().string() << ": " << sink.cycles.size() << " tasks\n";
        print("outcomes", outcomes);
        print("gaps", kinds);
        if (const auto walked = commands_walked(path))
            REQUIRE(commands == *walked);
    }
}

TEST_CASE("task times equal tshark's on clean captures") {
    if (std::system("tshark --version >/dev/null 2>&1") != 0) {
        std::cout << "SKIPPED: no tshark\n";
        return;
    }
    for (const char *file : {"a_read_4MiB_512K_1ms.ini.pcap.zst", "a_read_4MiB_512K_16ms.ini.pcap.zst",
                             "b_write_4MiB_256K_5ms_r2t64k.ini.pcap.zst", "i_randread_4K_qd8.ini.pcap.zst",
                             "z01_clean_read.ini.pcap.zst", "z19_application_think_time.ini.pcap.zst"}) {
        const auto path = folder() / file;
        if (!std::filesystem::exists(path)) {
            std::cout << "SKIPPED: no " << path.string() << "\n";
            continue;
        }
        Recording sink;
        run(path, sink);
        INFO(file);
        const auto theirs = tshark_tasks(path);
        std::uint64_t compared = 0;
        for (const CycleRecord &r : sink.cycles) {
            const auto found = theirs.find({r.command_frame.value_or(0), r.end_frame.value_or(0)});
            if (found == theirs.end() || !r.response_time)
                continue;
            REQUIRE(r.response_time->count() == found->second);
            ++compared;
        }
        std::cout << file << ": " << compared << " of " << sink.cycles.size()
                  << " tasks as tshark has them\n";
        CHECK(compared == sink.cycles.size());
        CHECK(theirs.size() >= compared);
    }
}
