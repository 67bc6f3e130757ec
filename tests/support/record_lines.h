// SPDX-License-Identifier: GPL-2.0-or-later
// RecordLines: a line for each record of a capture, to compare what two ways of reading it give.
#pragma once

#include "analyzer/cycles/engine.h"
#include "analyzer/cycles/records/record_sink.h"
#include "analyzer/pipeline/read_capture.h"
#include "support/each_segment.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace iscsiscope::test {
namespace record_lines {

inline std::string text(std::uint64_t n) {
    return std::to_string(n);
}
template <class Kind>
std::string text(Id<Kind> id) {
    return std::to_string(id.number);
}
inline std::string text(Time t) {
    return std::to_string(t.time_since_epoch().count());
}
inline std::string text(Duration d) {
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
    Taking() = default;
    Taking(const Taking &) = delete;
    Taking &operator=(const Taking &) = delete;
    virtual ~Taking() = default;

    std::vector<std::string> *lines = nullptr;
    int table = 0;
    void on(const Record &r) override { lines->push_back(std::to_string(table) + describe(r)); }
};

} // namespace record_lines

// A line for each record: its table, and those of its members that say what it is about.
class RecordLines final : public RecordSink {
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
        auto taking = std::make_shared<record_lines::Taking<Record>>();
        taking->lines = &lines;
        taking->table = table;
        to.add<Record>(*taking);
        kept_.push_back(taking);
    }
    std::vector<std::shared_ptr<void>> kept_;
};

// Of the engine that follows each frame as it comes; empty: the file cannot be read.
inline std::vector<std::string> lines_frame_by_frame(const std::string &path) {
    RecordLines all;
    RecordTables tables(all);
    Engine engine(tables);
    if (!each_segment(path, tables, [&](const Segment &s) { engine.feed(s); }).empty())
        return {};
    engine.finish();
    return all.lines;
}

// Of batches of so many frames; empty: a file cannot be read.
inline std::vector<std::string> lines_in_batches(const std::vector<std::string> &paths, FileUnion how,
                                                 std::size_t frames, int threads) {
    RecordLines all;
    ReadOptions options;
    options.frames_in_batch = frames;
    options.threads = threads;
    return read_files(paths, how, all, options).ok() ? all.lines : std::vector<std::string>{};
}

// The first line in which they differ, to be shown; empty: none.
inline std::string difference(const std::vector<std::string> &a, const std::vector<std::string> &b) {
    for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
        const std::string x = i < a.size() ? a[i] : "(end)", y = i < b.size() ? b[i] : "(end)";
        if (x != y)
            return fmt::format("record {}: {} / {}", i, x, y);
    }
    return {};
}

} // namespace iscsiscope::test
