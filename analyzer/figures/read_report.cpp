// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/figures/read_report.h"

#include "analyzer/figures/collector.h"
#include "analyzer/figures/totals.h"
#include "analyzer/findings/facts/icmp_facts.h"
#include "analyzer/findings/findings_input.h"
#include "analyzer/pipeline/anonymizer.h"
#include "analyzer/pipeline/range_sink.h"
#include "analyzer/pipeline/sink_fan.h"
#include "analyzer/query/filter_sink.h"
#include "analyzer/sessions/session_analysis.h"

namespace iscsiscope {
namespace {

CaptureFacts capture_facts(const Report &r) {
    CaptureFacts f;
    f.begin = r.capture.first_frame_time.value_or(Time{});
    f.end = r.capture.info.last_time.value_or(f.begin);
    for (const CaptureInterface &i : r.capture.info.interfaces)
        f.dropped_by_capture += i.dropped.value_or(0);
    f.mirrored = mirrored_packets(r.capture);
    f.clock_resolution = r.capture.order.resolution;
    f.dropped_by_mirror = dropped_by_mirror(r.capture).value_or(0);
    f.coverage = r.capture.coverage;
    f.icmp = r.capture.icmp_errors;
    if (r.capture.merged) {
        for (const ClockBehind &k : r.capture.merged->clocks) {
            f.clocks.push_back({r.capture.files[k.file].path, r.capture.files[k.other].path, k.least, k.seen,
                                k.first_frame});
        }
    }
    return f;
}

} // namespace

void add_findings(Report &r, const Facts &facts) {
    FindingsInput input;
    input.facts = &facts;
    input.sessions = r.session_figures ? &*r.session_figures : nullptr;
    input.capture = capture_facts(r);
    FindingsOptions options;
    options.of_range = !r.range.everything();
    options.of_filter = !r.filter.empty();
    r.findings = find_causes(input, options);
    for (const ModelInput &m : facts.models)
        r.models.push_back({m, model_cycle(m), key_verdicts(m)});
}

Result<Report> read_report(ReportRequest &request) {
    const TimeRange *range = &request.range;
    Collector collector({request.max_listed, range, request.filter != nullptr});
    TimelineCollector timeline({range, request.filter, request.charts});
    LadderCollector ladders({range, request.filter});
    SessionAnalysis sessions({request.interval});
    FactCollector facts, of_all; // of_all: models are of all tasks, whatever the filter
    const std::vector<RecordSink *> counting = {&collector, &facts};
    SinkFan counted(counting);
    std::optional<FilterSink> filtered;
    if (request.filter != nullptr)
        filtered.emplace(*request.filter, counted);
    SinkFan in_range(filtered ? std::vector<RecordSink *>{&*filtered, &of_all} : counting);
    RangeSink ranged(*range, in_range);
    std::vector<RecordSink *> sinks = {&ranged, &sessions};
    if (request.charts) {
        sinks.push_back(&timeline);
        sinks.push_back(&ladders);
    }
    sinks.insert(sinks.end(), request.more.begin(), request.more.end());
    SinkFan fan(sinks);
    Anonymizer unused;
    Anonymizer &names = request.anonymizer != nullptr ? *request.anonymizer : unused;
    AnonymizingSink masked(fan, names);
    RecordSink &first = request.anonymizer != nullptr ? static_cast<RecordSink &>(masked) : fan;
    ReadOptions options{request.engine, &request.range, request.observer, request.unpack, request.threads};
    options.effort = request.effort;
    auto read = read_files(request.files, request.files_are, first, options);
    if (!read.ok())
        return std::move(read.failure());
    auto &summary = read.value();
    if (request.anonymizer != nullptr)
        names.apply(summary, request.number);
    Report report = collector.take(std::move(summary));
    report.range = request.range;
    report.filter = request.filter_text;
    report.session_figures = sessions.take();
    Facts found = facts.take();
    report.capture.icmp_errors = take_icmp(found, report.capture.icmp_errors);
    if (filtered)
        found.models = of_all.take().models;
    add_findings(report, found);
    if (request.charts) {
        report.timeline = timeline.take();
        report.ladders = ladders.take();
    }
    return report;
}

} // namespace iscsiscope
