// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/read_report.h"

#include "analyzer/report/anonymizer.h"
#include "analyzer/report/collector.h"
#include "analyzer/report/sink_fan.h"

namespace iscsiscope {

std::variant<Report, std::string> read_report(ReportRequest &request) {
    const TimeRange *range = &request.range;
    Collector collector({range, request.filter, request.most_listed});
    TimelineCollector timeline({range, request.filter, request.charts});
    LadderCollector ladders({range, request.filter});
    std::vector<RecordSink *> sinks = {&collector};
    if (request.charts) {
        sinks.push_back(&timeline);
        sinks.push_back(&ladders);
    }
    sinks.insert(sinks.end(), request.more.begin(), request.more.end());
    SinkFan fan(sinks);
    Anonymizer unused;
    Anonymizer &names = request.anonymizer != nullptr ? *request.anonymizer : unused;
    AnonymizingSink masked(fan, names);
    RecordSink &first = request.anonymizer != nullptr ? static_cast<RecordSink &>(masked)
                        : sinks.size() == 1           ? static_cast<RecordSink &>(collector)
                                                      : fan;
    const ReadOptions options{request.engine, &request.range, request.observer};
    auto read = request.files.size() == 1 ? read_capture(request.files.front(), first, options)
                                          : read_joined(request.files, first, options);
    if (auto *error = std::get_if<std::string>(&read)) {
        return std::move(*error);
    }
    auto &summary = std::get<CaptureSummary>(read);
    if (request.anonymizer != nullptr) {
        names.apply(summary, request.number);
    }
    Report report = collector.take(std::move(summary));
    report.range = request.range;
    report.filter = request.filter_text;
    if (request.charts) {
        report.timeline = timeline.take();
        report.ladders = ladders.take();
    }
    return report;
}

} // namespace iscsiscope
