// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/tables/csv_report.h"

#include "analyzer/report/tables/row_writer.h"
#include "analyzer/report/tables/summary_tables.h"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace iscsiscope {
namespace {

std::string csv_of(const SummaryTable &t) {
    fmt::memory_buffer b;
    const auto end_line = [&b] { b.append(csv_line_end.data(), csv_line_end.data() + csv_line_end.size()); };
    for (std::size_t i = 0; i < t.columns.size(); ++i) {
        b.append(std::string_view(i == 0 ? "" : ","));
        append_csv(b, Value::text(t.columns[i]));
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
    OutputFile out;
    RowWriter writer;
    std::unique_ptr<RecordSink> sink;

    RowFile(const Table &table, const std::string &path, RowSelection selection, UnfinishedFiles &unfinished)
        : out(path, unfinished), writer(RowFormat::csv, choose_columns(table, "").value(), out),
          sink(make_row_sink(table, selection, writer)) {
        writer.header();
    }
};

CsvReport::CsvReport(const std::string &folder, RowSelection cycles, UnfinishedFiles &unfinished)
    : folder_(folder), unfinished_(unfinished) {
    if (::mkdir(folder.c_str(), 0777) == 0) {
        made_folder_ = true;
        unfinished_.add(folder_);
    } else {
        const int reason = errno;
        struct stat st {};
        if (reason != EEXIST || ::stat(folder.c_str(), &st) != 0 || !S_ISDIR(st.st_mode)) {
            error_ = fmt::format("cannot make the folder {}: {}", folder,
                                 reason == EEXIST ? "a file of that name is there" : std::strerror(reason));
            return;
        }
    }
    for (const Table *t : {&cycle_table(), &burst_table(), &gap_table(), &connection_table()}) {
        const RowSelection selection{cycles.range, t == &cycle_table() ? cycles.filter : nullptr};
        rows_.push_back(
            std::make_unique<RowFile>(*t, fmt::format("{}/{}.csv", folder, t->name), selection, unfinished));
    }
}

CsvReport::~CsvReport() {
    rows_.clear();
    summaries_.clear();
    if (made_folder_) {
        if (!done_)
            ::rmdir(folder_.c_str());
        unfinished_.done(folder_);
    }
}

std::vector<RecordSink *> CsvReport::sinks() {
    std::vector<RecordSink *> all;
    for (const auto &f : rows_)
        all.push_back(f->sink.get());
    return all;
}

std::string CsvReport::error() const {
    if (!error_.empty())
        return error_;
    for (const auto &f : rows_)
        if (!f->out.ok())
            return f->out.error();
    for (const auto &f : summaries_)
        if (!f->ok())
            return f->error();
    return {};
}

void CsvReport::summary(const std::string &name, const std::string &content) {
    summaries_.push_back(std::make_unique<OutputFile>(fmt::format("{}/{}.csv", folder_, name), unfinished_));
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
        if (!f->out.commit())
            return false;
    for (const auto &f : summaries_)
        if (!f->commit())
            return false;
    done_ = true;
    return true;
}

} // namespace iscsiscope
