// SPDX-License-Identifier: GPL-2.0-or-later
// Reports as tables, whose rows are written while the capture is read: a folder of CSV files, a data base.
#include "analyzer/report/formats/report_formats.h"
#include "analyzer/report/tables/csv_report.h"
#include "analyzer/report/tables/sqlite_report.h"

namespace iscsiscope {
namespace {

class CsvFolder final : public ReportWriter {
public:
    CsvFolder(const std::string &place, RowSelection cycles, UnfinishedFiles &unfinished)
        : report_(place, cycles, unfinished) {}

    std::vector<RecordSink *> sinks() override { return report_.sinks(); }
    std::string error() const override { return report_.error(); }
    bool finish(const Report &r, const ReportSettings &s) override { return report_.finish(r, s.quantiles); }
    std::size_t tables() const override { return report_.tables(); }

private:
    CsvReport report_;
};

class Csv final : public ReportFormat {
public:
    std::string_view help() const override { return output(); }
    std::string_view output() const override { return "a folder of tables"; }
    std::string_view extension() const override { return {}; }
    std::unique_ptr<ReportWriter> begin(const std::string &place, RowSelection cycles,
                                        UnfinishedFiles &unfinished) const override {
        return std::make_unique<CsvFolder>(place, cycles, unfinished);
    }
};

class DataBase final : public ReportWriter {
public:
    DataBase(const std::string &place, RowSelection cycles, UnfinishedFiles &unfinished)
        : report_(place, cycles, unfinished) {}

    std::vector<RecordSink *> sinks() override { return report_.sinks(); }
    std::string error() const override { return report_.error(); }
    bool finish(const Report &r, const ReportSettings &s) override {
        return report_.finish(r, s.quantiles, s.version);
    }

private:
    SqliteReport report_;
};

class Sqlite final : public ReportFormat {
public:
    std::string_view help() const override { return output(); }
    std::string_view output() const override { return "a data base"; }
    std::string_view extension() const override { return ".db"; }
    std::unique_ptr<ReportWriter> begin(const std::string &place, RowSelection cycles,
                                        UnfinishedFiles &unfinished) const override {
        return std::make_unique<DataBase>(place, cycles, unfinished);
    }
};

} // namespace

const ReportFormat &csv_reports() {
    static const Csv format;
    return format;
}

const ReportFormat &sqlite_reports() {
    static const Sqlite format;
    return format;
}

} // namespace iscsiscope
