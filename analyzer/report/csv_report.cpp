// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/csv_report.h"

#include "analyzer/report/human.h"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace iscsiscope {
namespace {

// A table made of cells, for the summaries.
class CsvText {
public:
    CsvText(std::initializer_list<std::string> headings) { line(headings); }
    void row(std::initializer_list<Value> cells) {
        bool first = true;
        for (const Value &v : cells) {
            add(v, first);
        }
        end();
    }
    std::string text() const { return fmt::to_string(buffer_); }
    // Headings or cells whose number is not known beforehand.
    void add(const Value &v, bool &first) {
        if (!first) {
            buffer_.push_back(',');
        }
        first = false;
        append_csv(buffer_, v);
    }
    void end() { buffer_.append(csv_line_end.data(), csv_line_end.data() + csv_line_end.size()); }

private:
    void line(std::initializer_list<std::string> headings) {
        bool first = true;
        for (const std::string &h : headings) {
            add(Value::text(h), first);
        }
        if (!first) {
            end();
        }
    }

    fmt::memory_buffer buffer_;
};

void distribution_headings(CsvText &t, bool &first, const std::vector<double> &quantiles) {
    for (const char *h : {"count", "sum_ns", "min_ns", "mean_ns", "max_ns"}) {
        t.add(Value::text(h), first);
    }
    for (const double q : quantiles) {
        const std::string h = fmt::format("p{:g}_ns", q * 100);
        t.add(Value::text(h), first);
    }
    t.end();
}

void distribution(CsvText &t, bool &first, const Histogram &h, const std::vector<double> &quantiles) {
    t.add(to_value(h.count()), first);
    t.add(to_value(h.sum()), first);
    t.add(to_value(h.minimum()), first);
    t.add(to_value(h.mean()), first);
    t.add(to_value(h.maximum()), first);
    for (const double q : quantiles) {
        t.add(to_value(h.quantile(q)), first);
    }
    t.end();
}

std::string times_csv(const Report &r, const std::vector<double> &quantiles) {
    CsvText t({});
    bool first = true;
    t.add(Value::text("type"), first);
    t.add(Value::text("time"), first);
    distribution_headings(t, first, quantiles);
    for (std::size_t i = 0; i < task_type_count; ++i) {
        for (std::size_t f = 0; f < cycle_figure_count; ++f) {
            first = true;
            t.add(Value::text(name(static_cast<TaskType>(i))), first);
            t.add(Value::text(name(static_cast<CycleFigure>(f))), first);
            distribution(t, first, r.types[i].figures[f], quantiles);
        }
    }
    return t.text();
}

std::string sizes_csv(const Report &r, const std::vector<double> &quantiles) {
    CsvText t({});
    bool first = true;
    for (const char *h : {"type", "smallest_bytes", "largest_bytes", "moved_bytes"}) {
        t.add(Value::text(h), first);
    }
    distribution_headings(t, first, quantiles);
    for (std::size_t i = 0; i < task_type_count; ++i) {
        for (const SizeTally &s : r.types[i].sizes) {
            if (s.count == 0) {
                continue;
            }
            first = true;
            t.add(Value::text(name(static_cast<TaskType>(i))), first);
            t.add(to_value(s.smallest), first);
            t.add(to_value(s.largest), first);
            t.add(to_value(s.bytes), first);
            distribution(t, first, s.response_time, quantiles);
        }
    }
    return t.text();
}

std::string luns_csv(const Report &r, const std::vector<double> &quantiles) {
    CsvText t({});
    bool first = true;
    for (const char *h : {"session", "lun", "type", "tasks", "moved_bytes", "not_good"}) {
        t.add(Value::text(h), first);
    }
    distribution_headings(t, first, quantiles);
    for (const auto &[key, l] : r.luns) {
        const std::string lun = human::lun(l.lun);
        for (std::size_t i = 0; i < task_type_count; ++i) {
            const LunTally::Part &p = l.parts[i];
            first = true;
            t.add(to_value(l.session), first);
            t.add(Value::text(lun), first);
            t.add(Value::text(name(static_cast<TaskType>(i))), first);
            t.add(to_value(p.count), first);
            t.add(to_value(p.bytes), first);
            t.add(to_value(p.not_good), first);
            distribution(t, first, p.response_time, quantiles);
        }
    }
    return t.text();
}

std::string time_shares_csv(const Report &r) {
    CsvText t({"kind", "count", "time_ns", "share"});
    const auto active = static_cast<double>(to_ns(r.time.active));
    const auto share = [&](Duration d) {
        return to_value(human::ratio(static_cast<double>(to_ns(d)), active));
    };
    t.row({Value::text("transfer"), Value{}, to_value(r.time.transfer), share(r.time.transfer)});
    for (std::size_t i = 0; i < gap_kind_count; ++i) {
        t.row({Value::text(name(static_cast<GapKind>(i))), to_value(r.time.gaps[i]),
               to_value(r.time.gap_time[i]), share(r.time.gap_time[i])});
    }
    return t.text();
}

std::string phase_shares_csv(const Report &r) {
    CsvText t({"type", "phase", "time_ns"});
    for (std::size_t i = 0; i < task_type_count; ++i) {
        for (const CycleFigure f : phase_figures) {
            t.row({Value::text(name(static_cast<TaskType>(i))), Value::text(name(f)),
                   to_value(r.types[i].of(f).sum())});
        }
    }
    return t.text();
}

std::string outcomes_csv(const Report &r) {
    CsvText t({"type", "outcome", "count"});
    for (std::size_t i = 0; i < task_type_count; ++i) {
        for (std::size_t o = 0; o < task_outcome_count; ++o) {
            t.row({Value::text(name(static_cast<TaskType>(i))),
                   Value::text(name(static_cast<TaskOutcome>(o))), to_value(r.types[i].outcomes[o])});
        }
    }
    return t.text();
}

std::string anomalies_csv(const Report &r) {
    CsvText t({"anomaly", "count", "detail_sum", "first_frame"});
    for (std::size_t i = 0; i < anomaly_kind_count; ++i) {
        const AnomalyTally &a = r.anomalies[i];
        if (a.count != 0) {
            t.row({Value::text(name(static_cast<AnomalyKind>(i))), to_value(a.count), to_value(a.detail_sum),
                   a.first.front().frame == 0 ? Value{} : to_value(a.first.front().frame)});
        }
    }
    return t.text();
}

} // namespace

struct CsvReport::RowFile {
    OutputFile out;
    RowWriter writer;
    std::unique_ptr<RecordSink> sink;

    RowFile(const Table &table, const std::string &path, RowSelection selection, UnfinishedFiles &unfinished)
        : out(path, unfinished),
          writer(RowFormat::csv, std::get<std::vector<const Column *>>(choose_columns(table, "")), out),
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
        if (!done_) {
            ::rmdir(folder_.c_str());
        }
        unfinished_.done(folder_);
    }
}

std::vector<RecordSink *> CsvReport::sinks() {
    std::vector<RecordSink *> all;
    for (const auto &f : rows_) {
        all.push_back(f->sink.get());
    }
    return all;
}

std::string CsvReport::error() const {
    if (!error_.empty()) {
        return error_;
    }
    for (const auto &f : rows_) {
        if (!f->out.ok()) {
            return f->out.error();
        }
    }
    for (const auto &f : summaries_) {
        if (!f->ok()) {
            return f->error();
        }
    }
    return {};
}

void CsvReport::summary(const std::string &name, const std::string &content) {
    summaries_.push_back(std::make_unique<OutputFile>(fmt::format("{}/{}.csv", folder_, name), unfinished_));
    summaries_.back()->write(content);
}

bool CsvReport::finish(const Report &r, const std::vector<double> &quantiles) {
    summary("times", times_csv(r, quantiles));
    summary("sizes", sizes_csv(r, quantiles));
    summary("luns", luns_csv(r, quantiles));
    summary("time_shares", time_shares_csv(r));
    summary("phase_shares", phase_shares_csv(r));
    summary("outcomes", outcomes_csv(r));
    summary("anomalies", anomalies_csv(r));
    for (const auto &f : rows_) {
        f->writer.flush();
    }
    if (!ok()) {
        return false;
    }
    for (const auto &f : rows_) {
        if (!f->out.commit()) {
            return false;
        }
    }
    for (const auto &f : summaries_) {
        if (!f->commit()) {
            return false;
        }
    }
    done_ = true;
    return true;
}

} // namespace iscsiscope
