// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/tables/sqlite_report.h"

#include "analyzer/report/tables/pages/sample_index.h"
#include "analyzer/report/tables/pages/table_writer.h"
#include "analyzer/report/tables/sqlite_file.h"
#include "analyzer/report/tables/sqlite_views.h"
#include "analyzer/report/tables/summary_tables.h"

#include <cerrno>
#include <fmt/format.h>
#include <optional>
#include <sys/stat.h>
#include <system_error>

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

// Writes the rows of one table as they arrive.
class Rows : public RowTarget {
public:
    Rows(PageFile &file, std::string name, const Table &table, RowSelection selection)
        : name_(std::move(name)), table_(table), writer_(file),
          sink_(make_row_sink(table, selection, *this)) {}

    const std::string &name() const { return name_; }
    const Table &table() const { return table_; }
    RecordSink *sink() { return sink_.get(); }

    void row(const void *row) override { add(row); }
    // The page on which the table begins, when all rows have come.
    void finish(PageNumber root) { writer_.finish(root); }

protected:
    std::int64_t add(const void *row) {
        record_.clear();
        for (const Column &c : table_.columns)
            record_.add(c.get(row, scratch_));
        return writer_.add(record_.finish());
    }

private:
    std::string name_;
    const Table &table_;
    TableWriter writer_;
    Record record_;
    Scratch scratch_;
    std::unique_ptr<RecordSink> sink_;
};

class Samples final : public Rows {
public:
    using Rows::Rows;
    void row(const void *row) override {
        const std::int64_t number = add(row);
        const auto &sample = *static_cast<const TcpSampleRecord *>(row);
        index.add(sample.stream, sample.direction == PduDirection::to_target, to_ns(sample.time), number);
    }

    SampleIndex index;
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

// The library writes to the temporary path of `out`: first the tables without rows, and when all rows are
// there everything else. The rows are written as pages in between.
struct SqliteReport::State {
    std::optional<OutputFile> out;
    std::string shown;
    std::string error;
    PageFile pages;
    std::vector<std::unique_ptr<Rows>> rows;
    Samples *samples = nullptr; // one of them
    std::vector<PageNumber> roots;

    std::string problem() const {
        return !error.empty() ? error : !out->ok() ? out->error() : pages.error() != 0 ? page_problem() : "";
    }
    std::string page_problem() const {
        return fmt::format("cannot write {}: {}", shown,
                           pages.error() == ENOSPC ? "no space left on the device"
                                                   : std::generic_category().message(pages.error()));
    }
    // Returns false on an error, which is kept.
    bool closed(SqliteFile &file) {
        file.commit();
        file.close();
        error = file.error();
        return error.empty();
    }

    void begin();
    bool finish(const Report &, const std::vector<double> &quantiles, const std::string &version);
};

void SqliteReport::State::begin() {
    SqliteFile file(out->temporary(), shown);
    for (const auto &r : rows)
        file.execute(create(r->name(), r->table()));
    for (const auto &r : rows)
        roots.push_back(file.root_page(r->name()));
    if (closed(file))
        pages.open(out->temporary());
}

bool SqliteReport::State::finish(const Report &r, const std::vector<double> &quantiles,
                                 const std::string &version) {
    // While the library has the data base, the samples are not in their table, so that it makes no index.
    const bool own_index = samples->index.in_order();
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (rows[i].get() != samples || !own_index)
            rows[i]->finish(roots[i]);
    pages.close();
    if (!problem().empty())
        return false;
    SqliteFile file(out->temporary(), shown);
    write(file, facts_table(r, version));
    for (const SummaryTable &t : summary_tables(r, quantiles))
        write(file, t);
    file.execute(sqlite_views);
    const PageNumber index_root = file.root_page("tcp_samples_time");
    if (!closed(file))
        return false;
    if (own_index) {
        pages.open(out->temporary());
        samples->finish(roots.back());
        if (!samples->index.finish(pages, index_root))
            error = fmt::format("cannot write {}: its temporary file could not be read", shown);
        pages.close();
    }
    return problem().empty() && out->commit();
}

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
    s.shown = path;
    if (!s.out->ok())
        return;
    const RowSelection others{cycles.range, nullptr};
    for (const auto &[name, table, selection] :
         {std::tuple{"cycles", &cycle_table(), cycles}, std::tuple{"bursts", &burst_table(), others},
          std::tuple{"gaps", &gap_table(), others}, std::tuple{"connections", &connection_table(), others}})
        s.rows.push_back(std::make_unique<Rows>(s.pages, name, *table, selection));
    auto samples = std::make_unique<Samples>(s.pages, "tcp_samples", tcp_table(), others);
    s.samples = samples.get();
    s.rows.push_back(std::move(samples));
    s.begin();
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
    return ok() && state_->finish(r, quantiles, version);
}

} // namespace iscsiscope
