// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/document/capture_loader.h"

#include "analyzer/words/capture/unread_words.h"
#include "gui/document/stores/table_sink.h"

#include <algorithm>
#include <chrono>

namespace iscsiscope::gui {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
constexpr auto progressEvery = std::chrono::milliseconds(50);

// Returns the first to the last time in the tables; used until the file has been read.
Interval spanOf(const Tables &t) {
    Interval span{Time::max(), Time::min()};
    for (std::size_t i = 0; i < t.cycles.size(); ++i) {
        span.from = std::min(span.from, t.cycles.start(static_cast<Row>(i)));
        span.to = std::max(span.to, t.cycles.end(static_cast<Row>(i)));
    }
    return span.from <= span.to ? span : spanOfNothing;
}

// Called in the thread that reads: passes progress on, and now and then asks for a partial snapshot.
class Observer final : public ReadObserver {
public:
    using Tell = std::function<void(const LoadProgress &)>;
    using Show = std::function<void(std::uint64_t bytes)>;
    Observer(const std::atomic<bool> &cancelled, const std::atomic<bool> &abandoned, Tell tell, Show show)
        : cancelled_(cancelled), abandoned_(abandoned), tell_(std::move(tell)), show_(std::move(show)) {}

    bool on_progress(std::uint64_t frames, std::uint64_t bytes, std::optional<std::uint64_t> size) override {
        const auto now = Clock::now();
        if (now - last_ >= progressEvery) {
            last_ = now;
            LoadProgress p{frames, bytes, size, 0, std::nullopt};
            const double seconds = std::chrono::duration<double>(now - begin_).count();
            p.bytesPerSecond = seconds > 0 ? static_cast<double>(bytes) / seconds : 0;
            if (size && *size >= bytes && p.bytesPerSecond > 0)
                p.secondsLeft = static_cast<double>(*size - bytes) / p.bytesPerSecond;
            tell_(p);
        }
        if (bytes >= nextShow_ && (!size || *size > bytes + bytes / 4)) {
            show_(bytes);
            nextShow_ = bytes * 2;
        }
        return !cancelled_ && !abandoned_;
    }

private:
    const std::atomic<bool> &cancelled_, &abandoned_;
    Tell tell_;
    Show show_;
    Clock::time_point begin_ = Clock::now(), last_ = begin_;
    std::uint64_t nextShow_ = firstFiguresAfter;
};

QString noteOf(const Report &report) {
    const CaptureSummary &c = report.capture;
    if (c.stopped) {
        return CaptureLoader::tr("Reading was cancelled: only what had been read is shown (%L1 frames).")
            .arg(c.info.frames);
    }
    if (c.info.unpack_bound != UnpackBound::none) {
        return CaptureLoader::tr(
                   "The file unpacks to more than the bounds of unpacking allow; read as far as that (%L1 "
                   "frames). The command line can raise them (--unpack-ratio, --unpack-time).")
            .arg(c.info.frames);
    }
    if (!c.info.complete) {
        return CaptureLoader::tr("The file is cut short or damaged; read as far as it goes (%L1 frames).")
            .arg(c.info.frames);
    }
    if (const std::string other = unread_summary(c); c.coverage.connections == 0 && !other.empty()) {
        return CaptureLoader::tr(
                   "No iSCSI that can be read: this is %1. The overview shows what the capture holds.")
            .arg(QString::fromStdString(other));
    }
    if (c.coverage.connections == 0 && !(report.findings && !report.findings->findings.empty())) {
        return CaptureLoader::tr(
            "No iSCSI found in this capture. The overview shows what the capture holds.");
    }
    return {};
}

} // namespace

SnapshotPtr makeSnapshot(const CaptureFiles &files, const Tables &tables,
                         std::shared_ptr<const Report> report) {
    auto s = std::make_shared<Snapshot>();
    static_cast<CaptureFiles &>(*s) = files;
    s->tables = tables;
    s->lanes = Lanes::build(tables);
    s->pyramids = SamplePyramids::build(tables);
    const CaptureSummary &c = report->capture;
    s->whole = c.info.first_time && c.info.last_time ? Interval{*c.info.first_time, *c.info.last_time + 1ns}
                                                     : spanOf(tables);
    s->origin = c.first_frame_time.value_or(s->whole.from);
    s->note = noteOf(*report);
    s->report = std::move(report);
    return s;
}

CaptureLoader::CaptureLoader(QObject *parent) : QObject(parent) {}

CaptureLoader::~CaptureLoader() {
    *abandoned_ = true;
}

void CaptureLoader::cancel() {
    *cancelled_ = true;
}

void CaptureLoader::start(const FigureRequest &request) {
    // The worker uses only its own and shared objects: the loader may be destroyed while it runs.
    const auto post = [guard = QPointer<CaptureLoader>(this), abandoned = abandoned_](auto call) {
        QMetaObject::invokeMethod(
            qApp,
            [guard, abandoned, call] {
                if (guard && !*abandoned)
                    call(*guard);
            },
            Qt::QueuedConnection);
    };
    workers().start([request, post, cancelled = cancelled_, abandoned = abandoned_] {
        const std::vector<FileState> states = statesOf(request.files);
        Tables tables;
        TableSink sink(tables);
        const auto tell = [&post](const LoadProgress &p) {
            post([p](CaptureLoader &loader) { emit loader.progressed(p); });
        };
        const auto show = [&](std::uint64_t bytes) {
            auto report = replayReport(tables, Report{}, TimeRange{}, {}, *abandoned);
            auto made = std::make_shared<Snapshot>(*makeSnapshot(request, tables, std::move(report)));
            made->note.clear();
            made->bytesRead = bytes;
            made->states = states;
            const SnapshotPtr snapshot = std::move(made);
            post([snapshot](CaptureLoader &loader) { emit loader.partial(snapshot); });
        };
        Observer observer(*cancelled, *abandoned, tell, show);
        auto result = makeReport(request, &sink, &observer);
        if (*abandoned) {
            return;
        }
        if (const auto *sentence = std::get_if<QString>(&result)) {
            post([text = *sentence](CaptureLoader &loader) { emit loader.failed(text); });
            return;
        }
        auto made = std::make_shared<Snapshot>(
            *makeSnapshot(request, tables, std::get<ReportPtr>(std::move(result))));
        made->complete = true;
        made->states = states;
        made->cancelled = made->report->capture.stopped;
        const SnapshotPtr snapshot = std::move(made);
        post([snapshot](CaptureLoader &loader) { emit loader.finished(snapshot); });
    });
}

} // namespace iscsiscope::gui
