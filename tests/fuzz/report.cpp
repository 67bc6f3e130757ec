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
#include "fuzz/folder.h"
#include "fuzz/pcap_file.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

using namespace iscsiscope;

namespace {

namespace fs = std::filesystem;

// The segments as a pcap file.
std::string pcap(const std::uint8_t *data, std::size_t size) {
    fuzz::PcapFile file;
    fuzz::segments(data, size, [&](const Segment &s) { file.add(s); });
    return file.content();
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
    static const fuzz::Folder folder;
    if (size < 2)
        return 0;
    const std::string bytes = data[0] == 0 ? std::string(reinterpret_cast<const char *>(data + 1), size - 1)
                                           : pcap(data + 1, size - 1);
    const std::string capture = folder.write("capture", bytes);
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
