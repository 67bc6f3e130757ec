// SPDX-License-Identifier: GPL-2.0-or-later
// GapTracker::continue_run and what CycleEngine leaves out for a segment that continues a run are a short way
// to the same records (docs/short-ways.md): every record of the bundled captures is the same without it.
#include "catch.h"

#include "analyzer/cycles/cycle_engine.h"
#include "analyzer/iscsi/framing/iscsi_engine.h"
#include "analyzer/query/column.h"
#include "tests/support/bundle.h"
#include "tests/support/each_segment.h"
#include "tests/unit/tcp/fed_tcp.h"

#include <cstdio>
#include <fmt/format.h>

using namespace iscsiscope;

namespace {

// Each record as the text of its columns, in the order in which they come.
struct Rows final : Takes<CycleRecord, BurstRecord, GapRecord, ConnectionRecord> {
    std::vector<std::string> rows;

    void on(const CycleRecord &r) override { add(cycle_table(), &r); }
    void on(const BurstRecord &r) override { add(burst_table(), &r); }
    void on(const GapRecord &r) override { add(gap_table(), &r); }
    void on(const ConnectionRecord &r) override { add(connection_table(), &r); }

private:
    void add(const Table &table, const void *row) {
        std::string text(table.name);
        Scratch scratch;
        for (const Column &c : table.columns) {
            const Value v = c.get(row, scratch);
            switch (v.type()) {
            case ValueType::unknown:
                text += " -";
                break;
            case ValueType::integer:
                text += fmt::format(" {}", v.as_integer());
                break;
            case ValueType::natural:
                text += fmt::format(" {}", v.as_natural());
                break;
            case ValueType::number:
                text += fmt::format(" {}", v.as_number());
                break;
            case ValueType::boolean:
                text += v.as_boolean() ? " true" : " false";
                break;
            case ValueType::text:
                text += fmt::format(" {}", v.as_text());
                break;
            }
        }
        rows.push_back(std::move(text));
    }
};

// The engine without the diagnosis of TCP; with or without the remark that a segment continues a run.
class Pipeline final : public StreamSink {
public:
    Rows records;
    RecordTables tables{records};
    std::size_t segments = 0, runs = 0;

    explicit Pipeline(bool short_way) : short_way_(short_way) {}
    void feed(const Segment &s) { tcp_.feed(s); }
    void finish() { tcp_.finish(); }

    void on_open(const Connection &c) override { iscsi_.on_open(c); }
    void on_piece(const Connection &c, Side s, const StreamPiece &p) override { iscsi_.on_piece(c, s, p); }
    void on_segment(const Connection &c, const SegmentReport &r) override {
        ++segments;
        runs += r.continues_run ? 1 : 0;
        SegmentReport report = r;
        report.continues_run = r.continues_run && short_way_;
        iscsi_.on_segment(c, report);
    }
    void on_close(const Connection &c, CloseReason r, Time at, FrameNumber f) override {
        iscsi_.on_close(c, r, at, f);
    }
    std::uint64_t content_needed_from(const Connection &c, Side s) override {
        return iscsi_.content_needed_from(c, s);
    }

private:
    bool short_way_;
    CycleEngine cycles_{tables};
    IscsiEngine iscsi_{cycles_, tables};
    FedTcp tcp_{*this, tables};
};

} // namespace

TEST_CASE("segments that continue a run give the records that they give one by one") {
    std::size_t captures = 0, records = 0, segments = 0, runs = 0;
    for (const auto &path : test::bundled_captures()) {
        INFO(path.string());
        Pipeline fast(true), plain(false);
        REQUIRE(test::each_segment(
                    path.string(), fast.tables, [&](const Segment &s) { fast.feed(s); })
                    .empty());
        REQUIRE(test::each_segment(path.string(), plain.tables, [&](const Segment &s) {
                    plain.feed(s);
                }).empty());
        fast.finish();
        plain.finish();
        CHECK(fast.records.rows == plain.records.rows);
        ++captures;
        records += fast.records.rows.size();
        segments += fast.segments;
        runs += fast.runs;
    }
    CHECK(runs * 5 > segments); // the short way is taken
    std::printf(
        "FIGURE: runs of segments: %zu records of %zu captures equal, %zu of %zu segments continue one\n",
        records, captures, runs, segments);
}
