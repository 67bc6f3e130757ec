// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/tables/csv_report.h"

#include "analyzer/report/tables/row_writer.h"
#include "analyzer/report/tables/summary_tables.h"

#include <fmt/format.h>

namespace iscsiscope {
namespace {

std::string csv_of(const SummaryTable &t) {
    fmt::memory_buffer b;
    const auto end_line = [&b] { b.append(csv_line_end.data(), csv_line_end.data() + csv_line_end.size()); };
    for (std::size_t i = 0; i < t.columns.size(); ++i) {
        b.append(std::string_view(i == 0 ? "" : ","));
        append_csv(b, Value::text(t.columns[i].name));
    }
    end_line();
    for (const auto &row : t.rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            b.append(std::string_view(i == 0 ? "" : ","));
            append_csv(b, std::visit(
                              [](const auto &v) {
                                  if constexpr (std::is_same_v<std::decay_t<decltype(v)>, std::monostate>)
                                      return Value{};
                                  else
                                      return to_value(v);
                              },
                              row[i]));
        }
        end_line();
    }
    return fmt::to_string(b);
}

} // namespace

struct CsvReport::RowFile {
    std::unique_ptr<OutputFile> out;
    RowWriter writer;
    std::unique_ptr<RecordSink> sink;

    RowFile(const Table &table, std::unique_ptr<OutputFile> file, RowSelection selection)
        : out(std::move(file)), writer(RowFormat::csv, choose_columns(table, "").value(), *out),
          sink(make_row_sink(table, selection, writer)) {
        writer.header();
    }
};

CsvReport::CsvReport(const std::string &folder, RowSelection cycles, UnfinishedFiles &unfinished)
    : folder_(folder, ".csv", unfinished) {
    if (!folder_.ok())
        return;
    for (const Table *t : {&cycle_table(), &burst_table(), &gap_table(), &connection_table()}) {
        const RowSelection selection{cycles.range, t == &cycle_table() ? cycles.filter : nullptr};
        rows_.push_back(
            std::make_unique<RowFile>(*t, folder_.create(fmt::format("{}.csv", t->name)), selection));
    }
}

CsvReport::~CsvReport() = default;

std::vector<RecordSink *> CsvReport::sinks() {
    std::vector<RecordSink *> all;
    for (const auto &f : rows_)
        all.push_back(f->sink.get());
    return all;
}

std::string CsvReport::error() const {
    if (!folder_.ok())
        return folder_.error();
    for (const auto &f : rows_)
        if (!f->out->ok())
            return f->out->error();
    for (const auto &f : summaries_)
        if (!f->ok())
            return f->error();
    return {};
}

void CsvReport::summary(const std::string &name, const std::string &content) {
    summaries_.push_back(folder_.create(name + ".csv"));
    summaries_.back()->write(content);
}

bool CsvReport::finish(const Report &r, const std::vector<double> &quantiles) {
    for (const SummaryTable &t : summary_tables(r, quantiles))
        summary(t.name, csv_of(t));
    for (const auto &f : rows_)
        f->writer.flush();
    if (!ok())
        return false;
    for (const auto &f : rows_)
        if (!f->out->commit())
            return false;
    for (const auto &f : summaries_)
        if (!f->commit())
            return false;
    return folder_.commit();
}

} // namespace iscsiscope
