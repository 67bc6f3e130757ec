// SPDX-License-Identifier: GPL-2.0-or-later
// The main window: eight views of one document, filter bar, statistics panel and status bar.
#pragma once

#include "gui/document/document.h"
#include "gui/document/together.h"

#include <QMainWindow>

class QLabel;
class QMenu;
class QProgressBar;
class QPushButton;
class QStackedWidget;
class QTabWidget;
class QTemporaryDir;

namespace iscsiscope::gui {

class CompareView;
class CyclesView;
class DetailsView;
class ExportJob;
class FilterBar;
class LadderView;
class MarksPanel;
class ModelView;
class NoticeBar;
class OverviewView;
class StartPage;
class StatisticsPanel;
class TestbedView;
class TimelineView;

// In the order of the tabs; as --view takes them.
inline const QStringList viewNames{"overview", "timeline", "ladder",  "cycles",
                                   "details",  "model",    "compare", "testbed"};

class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    explicit MainWindow(QWidget *parent = nullptr);
    ~MainWindow() override;

    Document &document() { return document_; }
    void open(const QStringList &files); // several are the parts of one
    // Asks how two files belong together; opens other numbers of files.
    void openOrAsk(const QStringList &files);
    void openTogether(const QStringList &two, CaptureRelation);
    // Shows two files side by side in the compare view.
    void compare(const QString &first, const QString &second);
    // Keeps a folder of captures as long as the window is there.
    void keep(std::shared_ptr<QTemporaryDir> folder) { kept_ = std::move(folder); }
    bool showView(const QString &name); // false: no such view
    QWidget *currentView() const;       // or the start page
    QWidget *viewOf(const QString &name) const;
    QString viewName() const; // of the tab in front
    // Like showView(), but the start page stays if it is shown.
    void chooseView(const QString &name);
    void showStart();
    void focusView(); // gives the focus to the widget of the view that takes keys
    bool startShown() const;
    // Object names of the side panels that the user wants where a view has room for them.
    QStringList panelsWanted() const { return panels_; }
    void setPanelsWanted(const QStringList &);
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
    StartPage &startPage() { return *start_; }
    MarksPanel &marksPanel() { return *marks_; }
    NoticeBar &fileNotice() { return *fileNotice_; }
    NoticeBar &complaint() { return *complaint_; }

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
    void makePanels();
    void makeNotices();
    void placePanels(); // shows those that are wanted and that the view has room for
    void leaveStart();
    void showFileNotice();
    void setMark();
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
    void packet(OptionalFrame);
    void showFrame(quint64 frame); // in the timeline
    void fillRecent();
    void showRun(const QString &initiator, const QString &target); // never in place of an open capture
    void stepOut();                                                // Esc
    void say(const QString &);                                     // in the status bar
    void complain(const QString &);
    void about();

    Document document_;
    QTabWidget *tabs_;
    QStackedWidget *stack_; // start page, or the tabs
    StartPage *start_;
    OverviewView *overview_;
    TimelineView *timeline_;
    LadderView *ladder_;
    CyclesView *cycles_;
    DetailsView *details_;
    ModelView *model_;
    CompareView *compare_;
    TestbedView *testbed_;
    FilterBar *filters_;
    StatisticsPanel *statistics_;
    MarksPanel *marks_;
    NoticeBar *fileNotice_, *complaint_;
    QStringList panels_{"figures"};
    QProgressBar *progress_;
    QPushButton *cancel_;
    QLabel *progressText_, *pointer_;
    ExportJob *export_;
    QMenu *recent_ = nullptr;
    QList<QAction *> actions_;
    std::shared_ptr<QTemporaryDir> kept_;
};

} // namespace iscsiscope::gui
