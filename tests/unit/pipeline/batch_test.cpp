// SPDX-License-Identifier: GPL-2.0-or-later
// Works of a batch in the order of their connections are a short way (docs/short-ways.md): all records, in
// the same order and with the same numbers, as those of the engine that follows each frame as it comes.
#include "catch.h"

#include "analyzer/pipeline/merge/merged_reader.h"
#include "analyzer/pipeline/read_capture.h"
#include "tests/support/bundle.h"
#include "tests/support/each_segment.h"

#include <fmt/format.h>
#include <memory>
#include <string>
#include <vector>

using namespace iscsiscope;

namespace {

std::string text(std::uint64_t n) {
    return std::to_string(n);
}
template <class Kind>
std::string text(Id<Kind> id) {
    return std::to_string(id.number);
}
std::string text(Time t) {
    return std::to_string(t.time_since_epoch().count());
}
std::string text(Duration d) {
    return std::to_string(d.count());
}
template <class T>
std::string text(const std::optional<T> &value) {
    return value ? text(*value) : "-";
}

template <class R>
std::string members(const R &r) {
    std::string line;
    const auto add = [&](const char *name, const auto &value) {
        line += fmt::format(" {}={}", name, text(value));
    };
    if constexpr (requires { text(r.stream); })
        add("stream", r.stream);
    if constexpr (requires { r.connection->stream; })
        add("stream", r.connection->stream);
    if constexpr (requires { text(r.session); })
        add("session", r.session);
    if constexpr (requires { text(r.reinstates); })
        add("reinstates", r.reinstates);
    if constexpr (requires { text(r.cycle); })
        add("cycle", r.cycle);
    if constexpr (requires { text(r.frame); })
        add("frame", r.frame);
    if constexpr (requires { text(r.time); })
        add("time", r.time);
    if constexpr (requires { text(r.start); })
        add("start", r.start);
    if constexpr (requires { text(r.length); })
        add("length", r.length);
    if constexpr (requires { text(r.end); })
        add("end", r.end);
    if constexpr (requires { text(r.lun); })
        add("lun", r.lun);
    if constexpr (requires { r.kind; })
        add("kind", static_cast<std::uint64_t>(r.kind));
    if constexpr (requires { r.owner; })
        add("owner", static_cast<std::uint64_t>(r.owner));
    if constexpr (requires { text(r.idle); })
        add("idle", r.idle);
    if constexpr (requires { text(r.cycle_time); })
        add("cycle_time", r.cycle_time);
    if constexpr (requires { r.pdu.offset; }) {
        add("offset", r.pdu.offset);
        add("seen", r.pdu.first_seen);
        std::uint64_t sum = 0;
        for (const std::byte b : r.pdu.data)
            sum = sum * 31 + std::to_integer<std::uint64_t>(b) + 1;
        add("data", sum);
    }
    if constexpr (requires { r.segment.frame; }) {
        add("segment", r.segment.frame);
        add("payload", r.segment.payload.size());
    }
    return line;
}
template <class R>
std::string describe(const R &r) {
    if constexpr (requires { r.cycle.cycle; })
        return members(r.cycle);
    else if constexpr (requires { r.burst.cycle; })
        return members(r.burst);
    else
        return members(r);
}

template <class Record>
struct Taking : Sink<Record> {
    std::vector<std::string> *lines = nullptr;
    int table = 0;
    void on(const Record &r) override { lines->push_back(std::to_string(table) + describe(r)); }
};

// A line for each record: its table, and those of its members that say what it is about.
class Lines final : public RecordSink {
public:
    std::vector<std::string> lines;

    void subscribe(RecordTables &to) override { add(to, AllRecords{}); }

private:
    template <class... Records>
    void add(RecordTables &to, RecordList<Records...>) {
        int table = 0;
        (take<Records>(to, table++), ...);
    }
    template <class Record>
    void take(RecordTables &to, int table) {
        if (std::is_same_v<Record, TaskBegun>) // has the follower's number
            return;
        auto taking = std::make_shared<Taking<Record>>();
        taking->lines = &lines;
        taking->table = table;
        to.add<Record>(*taking);
        kept_.push_back(taking);
    }
    std::vector<std::shared_ptr<void>> kept_;
};

std::vector<std::string> frame_by_frame(const std::string &path) {
    Lines all;
    RecordTables tables(all);
    Engine engine(tables);
    REQUIRE(test::each_segment(path, tables, [&](const Segment &s) { engine.feed(s); }).empty());
    engine.finish();
    return all.lines;
}

std::vector<std::string> in_batches(const std::vector<std::string> &paths, std::size_t frames, int threads,
                                    FileUnion how = FileUnion::joined) {
    Lines all;
    ReadOptions options;
    options.frames_in_batch = frames;
    options.threads = threads;
    REQUIRE(read_files(paths, how, all, options).ok());
    return all.lines;
}

// The first line in which they differ, to be shown; empty: none.
std::string difference(const std::vector<std::string> &a, const std::vector<std::string> &b) {
    for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
        const std::string x = i < a.size() ? a[i] : "(end)", y = i < b.size() ? b[i] : "(end)";
        if (x != y)
            return fmt::format("record {}: {} / {}", i, x, y);
    }
    return {};
}

} // namespace

TEST_CASE("the records of a capture are the same for any size of batches and any number of threads") {
    std::size_t captures = 0, records = 0;
    for (const auto &path : test::bundled_captures()) {
        INFO(path.string());
        const std::vector<std::string> plain = frame_by_frame(path.string());
        records += plain.size();
        for (const std::size_t frames : {1, 7, 100, 1024})
            CHECK(difference(plain, in_batches({path.string()}, frames, 1)) == "");
        for (const int threads : {2, 3, 8, 16})
            CHECK(difference(plain, in_batches({path.string()}, 64, threads)) == "");
        ++captures;
    }
    std::printf("FIGURE: batches of 1, 7, 64, 100 and 1024 frames: %zu records of %zu captures the same\n",
                records, captures);
}

// Sessions of the same names follow and replace each other.
TEST_CASE("the records of joined captures are the same for any size of batches") {
    std::vector<std::string> paths;
    for (const auto &path : test::bundled_captures())
        if (path.string().find(".initiator.") != std::string::npos)
            paths.push_back(path.string());
    REQUIRE(paths.size() > 5);
    const std::vector<std::string> plain = in_batches(paths, 1, 1);
    for (const std::size_t frames : {5, 1000, 100'000})
        for (const int threads : {3, 8})
            CHECK(difference(plain, in_batches(paths, frames, threads)) == "");
}

// A merged capture holds segments back, and leaves copies out: those of both ends of the same runs, too.
TEST_CASE("the records of merged captures are the same for any size of batches") {
    std::vector<std::string> paths;
    for (const auto &path : test::bundled_captures())
        if (paths.size() < MergedReader::max_files)
            paths.push_back(path.string());
    REQUIRE(paths.size() > 10);
    const std::vector<std::string> plain = in_batches(paths, 1, 1, FileUnion::merged);
    CHECK(plain.size() > 10'000);
    for (const std::size_t frames : {5, 1000, 100'000})
        for (const int threads : {1, 3, 8})
            CHECK(difference(plain, in_batches(paths, frames, threads, FileUnion::merged)) == "");
}
