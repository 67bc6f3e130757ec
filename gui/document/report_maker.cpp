// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/document/report_maker.h"

#include "analyzer/figures/collector.h"
#include "analyzer/pipeline/range_sink.h"
#include "analyzer/query/filter_sink.h"
#include "gui/document/stores/table_sink.h"

#include <QFile>

#include <fmt/format.h>

namespace iscsiscope::gui {
namespace {

std::optional<Expression> compiled(const std::string &filter) {
    if (filter.empty())
        return std::nullopt;
    auto result = Expression::compile(filter, ColumnNames(cycle_table()));
    // Filters are checked when they are set.
    return result.ok() ? std::optional(std::move(result.value())) : std::nullopt;
}

std::vector<std::string> pathsOf(const QStringList &files) {
    std::vector<std::string> paths;
    for (const QString &f : files)
        paths.push_back(QFile::encodeName(f).toStdString());
    return paths;
}

} // namespace

std::variant<ReportPtr, QString> makeReport(const FigureRequest &request, RecordSink *extra,
                                            ReadObserver *observer) {
    const auto filter = compiled(request.filter);
    ReportRequest r;
    r.files = pathsOf(request.files);
    r.files_are = request.filesAre;
    r.range = request.range;
    r.filter = filter ? &*filter : nullptr;
    r.filter_text = request.filter;
    r.interval = request.interval;
    r.charts = request.charts;
    r.observer = observer;
    if (extra != nullptr)
        r.more.push_back(extra);
    auto result = read_report(r);
    if (!result.ok())
        return QString::fromStdString(result.failure().message);
    return ReportPtr(std::make_shared<Report>(std::move(result.value())));
}

void readAgain(const CaptureFiles &capture, RecordSink &sink, ReadObserver *observer) {
    ReadOptions options;
    options.observer = observer;
    options.engine.tcp_analysis = false;
    if (!capture.files.isEmpty())
        (void)read_files(pathsOf(capture.files), capture.filesAre, sink, options);
}

ReportPtr replayReport(const Tables &tables, const Report &whole, const TimeRange &range,
                       const std::string &filter, const std::atomic<bool> &stop) {
    const auto expression = compiled(filter);
    Collector collector({1024, &range, expression.has_value()});
    std::optional<FilterSink> filtered;
    if (expression)
        filtered.emplace(*expression, collector);
    RangeSink ranged(range, filtered ? static_cast<RecordSink &>(*filtered) : collector);
    for (const TcpDirectionRow &row : whole.tcp) // before the end of its connection, as while reading
        RecordTables(ranged).put(TcpDirectionRecord{{}, row.direction, row.figures});
    replay(tables, ranged, stop);
    auto report = std::make_shared<Report>(collector.take(whole.capture));
    report->range = range;
    report->filter = filter;
    return report;
}

std::string rangeWords(Time from, Time to, Time origin) {
    const auto seconds = [origin](Time t) {
        const std::int64_t ns = to_ns(std::max(t - origin, Duration{}));
        return fmt::format("{}.{:09}", ns / 1'000'000'000, ns % 1'000'000'000);
    };
    return seconds(from) + ".." + seconds(to);
}

TimeRange rangeOf(Time from, Time to, Time origin) {
    const auto parsed = TimeRange::parse(rangeWords(from, to, origin));
    TimeRange r = parsed.ok() ? parsed.value() : TimeRange{};
    r.anchor(origin);
    return r;
}

} // namespace iscsiscope::gui
