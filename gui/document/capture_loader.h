// SPDX-License-Identifier: GPL-2.0-or-later
// Reads a capture in a worker thread; emits partial snapshots meanwhile and a last one at the end, in the
// thread of the windows.
#pragma once

#include "gui/document/background.h"
#include "gui/document/report_maker.h"
#include "gui/document/snapshot.h"

#include <QObject>

namespace iscsiscope::gui {

struct LoadProgress {
    std::uint64_t frames = 0, bytes = 0;
    std::optional<std::uint64_t> size; // empty: not known
    double bytesPerSecond = 0;
    std::optional<double> secondsLeft;
    std::optional<double> share() const {
        return size && *size > 0 ? std::optional(static_cast<double>(bytes) / static_cast<double>(*size))
                                 : std::nullopt;
    }
};

// The first partial snapshot comes after this many bytes, further ones whenever the number has doubled.
inline constexpr std::uint64_t firstFiguresAfter = std::uint64_t{8} << 20;

class CaptureLoader : public QObject {
    Q_OBJECT
public:
    explicit CaptureLoader(QObject *parent = nullptr);
    // The reading stops soon after; no further signal is emitted.
    ~CaptureLoader() override;

    void start(const FigureRequest &);
    // Ends the reading; finished() then gives the snapshot of what was read.
    void cancel();

signals:
    void progressed(const iscsiscope::gui::LoadProgress &);
    void partial(const iscsiscope::gui::SnapshotPtr &);
    void finished(const iscsiscope::gui::SnapshotPtr &);
    void failed(const QString &sentence);

private:
    std::shared_ptr<std::atomic<bool>> cancelled_ = std::make_shared<std::atomic<bool>>(false);
    StopFlag abandoned_ = std::make_shared<std::atomic<bool>>(false);
};

// Makes a snapshot around the report it is given. It takes time: call it from worker threads.
SnapshotPtr makeSnapshot(const CaptureFiles &, const Tables &, std::shared_ptr<const Report>);

} // namespace iscsiscope::gui
