// SPDX-License-Identifier: GPL-2.0-or-later
// From the bytes of a capture file to every output format: each report is made, is valid UTF-8, and says
// damage where the capture has it. The first byte decides whether the bytes are a file, or segments
// (engine_input.h) that are written as one, so that the later rooms are reached without valid headers of the
// earlier ones.
#include "analyzer/base/text/utf8.h"
#include "analyzer/figures/read_report.h"
#include "analyzer/query/row_sink.h"
#include "analyzer/report/compare/compare_output.h"
#include "analyzer/report/html/html_report.h"
#include "analyzer/report/json/json_report.h"
#include "analyzer/report/tables/csv_report.h"
#include "analyzer/report/tables/row_writer.h"
#include "analyzer/report/tables/sqlite_report.h"
#include "analyzer/report/text/text_report.h"
#include "fuzz/engine_input.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>

using namespace iscsiscope;

namespace {

namespace fs = std::filesystem;

// A folder of this process, removed at its end.
class Folder {
public:
    Folder()
        : path_(fs::temp_directory_path() / ("iscsiscope-fuzz-" + std::to_string(std::random_device{}()))) {
        fs::create_directories(path_);
    }
    ~Folder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    std::string operator/(const char *name) const { return (path_ / name).string(); }

private:
    fs::path path_;
};

void put16(std::string &out, std::uint32_t v) {
    out += {static_cast<char>(v >> 8), static_cast<char>(v)};
}
void put32(std::string &out, std::uint32_t v) {
    put16(out, v >> 16);
    put16(out, v & 0xffff);
}
void put_little(std::string &out, std::uint32_t v) {
    for (int i = 0; i < 4; ++i)
        out.push_back(static_cast<char>(v >> 8 * i));
}

// The segments as a pcap file of IPv4 packets without a link layer, with times in nanoseconds.
std::string as_file(const std::uint8_t *data, std::size_t size) {
    std::string out;
    for (const std::uint32_t field : {0xa1b23c4dU, 0x00040002U, 0U, 0U, 262144U, 101U})
        put_little(out, field);
    fuzz::segments(data, size, [&](const Segment &s) {
        const auto captured = static_cast<std::uint32_t>(s.payload.size());
        const std::int64_t ns = to_ns(s.time);
        put_little(out, static_cast<std::uint32_t>(ns / 1'000'000'000));
        put_little(out, static_cast<std::uint32_t>(ns % 1'000'000'000));
        put_little(out, 40 + captured);
        put_little(out, 40 + s.payload_length);
        out += {'\x45', 0};
        put16(out, 40 + s.payload_length);
        put16(out, s.ip_id);
        out += {0, 0, 64, 6, 0, 0};
        for (const Endpoint *end : {&s.source, &s.destination})
            out += {10, 0, 0, static_cast<char>(end->address.bytes[15])};
        put16(out, s.source.port);
        put16(out, s.destination.port);
        put32(out, s.sequence);
        put32(out, s.acknowledgment);
        out += {'\x50', static_cast<char>(s.flags)};
        put16(out, s.window);
        put32(out, 0);
        out.append(reinterpret_cast<const char *>(s.payload.data()), captured);
    });
    return out;
}

std::string content_of(const std::string &path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream all;
    all << in.rdbuf();
    return all.str();
}

void write_rows(const std::string &capture, const std::string &path) {
    for (const Table *table : {&pdu_table(), &gap_table(), &connection_table()}) {
        UnfinishedFiles unfinished;
        OutputFile out(path, unfinished);
        RowWriter writer(RowFormat::jsonl, choose_columns(*table, "").value(), out);
        const auto sink = make_row_sink(*table, {}, writer);
        const auto read = read_capture(capture, *sink, {});
        fuzz::require(read.ok());
        writer.flush();
        fuzz::require(out.commit() && is_utf8(content_of(path)));
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    static const Folder folder;
    if (size < 2)
        return 0;
    const std::string capture = folder / "capture";
    {
        std::ofstream file(capture, std::ios::binary | std::ios::trunc);
        const std::string bytes = data[0] == 0
                                      ? std::string(reinterpret_cast<const char *>(data + 1), size - 1)
                                      : as_file(data + 1, size - 1);
        file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    }
    UnfinishedFiles unfinished;
    ReportRequest request;
    request.files = {capture};
    request.charts = true;
    CsvReport csv(folder / "tables", {}, unfinished);
    SqliteReport sqlite(folder / "base", {}, unfinished);
    request.more = csv.sinks();
    for (RecordSink *sink : sqlite.sinks())
        request.more.push_back(sink);
    const auto read = read_report(request);
    if (!read.ok()) { // no capture file: a sentence says why
        fuzz::require(!read.failure().message.empty());
        return 0;
    }
    const Report &report = read.value();
    const std::vector<double> quantiles = {0.5, 0.99};
    std::string json;
    write_json_report(report, quantiles, "fuzz", [&](std::string_view part) { json += part; });
    fuzz::require(is_utf8(json) && json.ends_with("}\n"));
    fuzz::require(is_utf8(html_report(report, quantiles, "fuzz")));
    fuzz::require(is_utf8(text_report(report, TextStyle{})));
    fuzz::require(is_utf8(compare_json(compare(report, report, quantiles))));
    fuzz::require(csv.finish(report, quantiles) && sqlite.finish(report, quantiles, "fuzz"));
    for (const auto &table : fs::directory_iterator(folder / "tables"))
        fuzz::require(is_utf8(content_of(table.path().string())));
    write_rows(capture, folder / "rows");
    return 0;
}
