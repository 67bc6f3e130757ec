// SPDX-License-Identifier: GPL-2.0-or-later
// The main window: seven views of one document, filter bar, statistics panel and status bar.
#pragma once

#include "gui/document/document.h"

#include <QMainWindow>

class QLabel;
class QMenu;
class QProgressBar;
class QPushButton;
class QTabWidget;

namespace iscsiscope::gui {

class CompareView;
class CyclesView;
class ExportJob;
class FilterBar;
class LadderView;
class ModelView;
class OverviewView;
class StatisticsPanel;
class TestbedView;
class TimelineView;

// In the order of the tabs; as --view takes them.
inline const QStringList viewNames{"overview", "timeline", "ladder", "cycles", "model", "compare", "testbed"};

class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    explicit MainWindow(QWidget *parent = nullptr);
    ~MainWindow() override;

    Document &document() { return document_; }
    void open(const QStringList &files);
    // Shows two files side by side in the compare view.
    void compare(const QString &first, const QString &second);
    bool showView(const QString &name); // false: no such view
    QWidget *currentView() const;
    QList<QAction *> allActions() const { return actions_; }
    QAction *action(const QString &name) const; // by object name; null: none

    OverviewView &overview() { return *overview_; }
    TimelineView &timeline() { return *timeline_; }
    LadderView &ladder() { return *ladder_; }
    CyclesView &cycles() { return *cycles_; }
    ModelView &model() { return *model_; }
    CompareView &compareView() { return *compare_; }
    TestbedView &testbed() { return *testbed_; }
    FilterBar &filterBar() { return *filters_; }

    // Writes the picture without asking the user. Returns a sentence if it cannot be written.
    std::optional<QString> exportPictureTo(const QString &path);
    // Written in the background; exported() is emitted at the end.
    void exportCsvTo(const QString &path);
    void exportReportTo(const QString &path); // HTML
    ExportJob &exportJob() { return *export_; }

signals:
    void exported(const QString &path, const QString &mistake); // empty: none

protected:
    void dragEnterEvent(QDragEnterEvent *) override;
    void dropEvent(QDropEvent *) override;
    void closeEvent(QCloseEvent *) override;
    bool eventFilter(QObject *, QEvent *) override;

private:
    void makeActions();
    QAction *add(QMenu *, const char *name, const QString &text, const QList<QKeySequence> &,
                 std::function<void()>);
    void askOpen();
    void askExport(const QString &title, const QString &filter, const QString &suggested,
                   const std::function<void(const QString &)> &write);
    void startExport(
        const QString &path,
        std::function<std::optional<QString>(const std::atomic<bool> &stop, std::atomic<double> &share)>);
    // Zoom and pan of the current view.
    void zoom(double factor);
    void pan(double share);
    void showProgress(const LoadProgress &);
    void packet(FrameNumber);
    void showFrame(quint64 frame); // in the timeline
    void filesDropped(const QStringList &);
    void fillRecent();
    void stepOut(); // Esc
    void focusView();
    void say(const QString &); // in the status bar
    void complain(const QString &);
    void about();

    Document document_;
    QTabWidget *tabs_;
    OverviewView *overview_;
    TimelineView *timeline_;
    LadderView *ladder_;
    CyclesView *cycles_;
    ModelView *model_;
    CompareView *compare_;
    TestbedView *testbed_;
    FilterBar *filters_;
    StatisticsPanel *statistics_;
    QProgressBar *progress_;
    QPushButton *cancel_;
    QLabel *progressText_, *pointer_;
    ExportJob *export_;
    QMenu *recent_ = nullptr;
    QList<QAction *> actions_;
};

} // namespace iscsiscope::gui
