// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/tables/sqlite_report.h"

#include "analyzer/report/tables/sqlite_file.h"
#include "analyzer/report/tables/sqlite_views.h"
#include "analyzer/report/tables/summary_tables.h"

#include <fmt/format.h>
#include <optional>
#include <sys/stat.h>

namespace iscsiscope {
namespace {

const char *sql_type(ValueType t) {
    switch (t) {
    case ValueType::number:
        return "REAL";
    case ValueType::text:
        return "TEXT";
    case ValueType::unknown: // each cell keeps its own
        return "";
    default:
        return "INTEGER";
    }
}

std::string create(const std::string &name, const Table &t) {
    std::string sql;
    for (const Column &c : t.columns)
        sql += fmt::format("{}\"{}\" {}", sql.empty() ? "" : ", ", c.name, sql_type(c.type));
    return fmt::format("CREATE TABLE \"{}\" ({})", name, sql);
}

// Inserts the rows of one table as they arrive.
class Rows final : public RowTarget {
public:
    Rows(SqliteFile &file, const std::string &name, const Table &table, RowSelection selection)
        : table_(prepared(file, name, table)), insert_(file, name, table.columns.size()),
          sink_(make_row_sink(table, selection, *this)) {}

    void row(const void *row) override {
        int n = 0;
        for (const Column &c : table_.columns)
            insert_.bind(++n, c.get(row, scratch_));
        insert_.insert();
    }
    RecordSink *sink() { return sink_.get(); }

private:
    static const Table &prepared(SqliteFile &file, const std::string &name, const Table &table) {
        file.execute(create(name, table));
        return table;
    }

    const Table &table_;
    SqliteInsert insert_;
    Scratch scratch_;
    std::unique_ptr<RecordSink> sink_;
};

void write(SqliteFile &file, const SummaryTable &t) {
    std::string sql;
    for (const SummaryColumn &c : t.columns)
        sql += fmt::format("{}\"{}\" {}", sql.empty() ? "" : ", ", c.name, sql_type(c.type));
    file.execute(fmt::format("CREATE TABLE \"{}\" ({})", t.name, sql));
    SqliteInsert insert(file, t.name, t.columns.size());
    for (const auto &row : t.rows) {
        for (std::size_t i = 0; i < row.size(); ++i)
            insert.bind(static_cast<int>(i + 1), row[i]);
        insert.insert();
    }
}

} // namespace

struct SqliteReport::State {
    std::optional<OutputFile> out; // the library writes to its temporary path
    std::string error;
    std::unique_ptr<SqliteFile> file;
    std::vector<std::unique_ptr<Rows>> rows; // must be destroyed before the file

    std::string problem() const {
        return !error.empty() ? error : !out->ok() ? out->error() : file ? file->error() : std::string();
    }
};

namespace {

bool is_irregular(const std::string &path) {
    struct stat st {};
    return ::stat(path.c_str(), &st) == 0 && !S_ISREG(st.st_mode);
}

} // namespace

SqliteReport::SqliteReport(const std::string &path, RowSelection cycles, UnfinishedFiles &unfinished)
    : state_(new State) {
    State &s = *state_;
    if (is_irregular(path)) {
        s.error = fmt::format("cannot write {}: a data base has to be a regular file", path);
        return;
    }
    s.out.emplace(path, unfinished);
    if (!s.out->ok())
        return;
    s.file = std::make_unique<SqliteFile>(s.out->temporary(), path);
    const RowSelection others{cycles.range, nullptr};
    for (const auto &[name, table, selection] :
         {std::tuple{"cycles", &cycle_table(), cycles}, std::tuple{"bursts", &burst_table(), others},
          std::tuple{"gaps", &gap_table(), others}, std::tuple{"connections", &connection_table(), others},
          std::tuple{"tcp_samples", &tcp_table(), others}})
        s.rows.push_back(std::make_unique<Rows>(*s.file, name, *table, selection));
}

SqliteReport::~SqliteReport() = default;

std::vector<RecordSink *> SqliteReport::sinks() {
    std::vector<RecordSink *> all;
    for (const auto &r : state_->rows)
        all.push_back(r->sink());
    return all;
}

bool SqliteReport::ok() const {
    return state_->problem().empty();
}

std::string SqliteReport::error() const {
    return state_->problem();
}

bool SqliteReport::finish(const Report &r, const std::vector<double> &quantiles, const std::string &version) {
    State &s = *state_;
    if (!ok())
        return false;
    write(*s.file, facts_table(r, version));
    for (const SummaryTable &t : summary_tables(r, quantiles))
        write(*s.file, t);
    s.file->execute(sqlite_views);
    s.rows.clear(); // destroys the statements
    if (!s.file->commit())
        return false;
    s.file->close();
    return s.out->commit();
}

} // namespace iscsiscope
