// SPDX-License-Identifier: GPL-2.0-or-later
// What surrounds the views: start page, side panels, messages, marks.
#include "gui/document/file_state.h"
#include "gui/models/words.h"
#include "gui/views/compare/compare_view.h"
#include "gui/views/experiment/model_view.h"
#include "gui/views/experiment/testbed_view.h"
#include "gui/views/filter_bar.h"
#include "gui/views/ladder_view.h"
#include "gui/views/marks_panel.h"
#include "gui/views/notice_bar.h"
#include "gui/views/start/start_page.h"
#include "gui/views/statistics_panel.h"
#include "gui/views/time_plot.h"
#include "gui/window/main_window.h"

#include <QDockWidget>
#include <QFileInfo>
#include <QScrollArea>
#include <QStackedWidget>
#include <QTabWidget>

namespace iscsiscope::gui {
namespace {

QString wordsOf(const FileChange &c) {
    const QString name = QFileInfo(c.path).fileName();
    switch (c.fate) {
    case FileFate::grown:
        return MainWindow::tr("%1 has grown by %2 since it was read").arg(name, byteWords(c.by));
    case FileFate::replaced:
        return MainWindow::tr("%1 has been replaced by another file").arg(name);
    case FileFate::rewritten:
        return MainWindow::tr("%1 has been rewritten").arg(name);
    case FileFate::vanished:
        return MainWindow::tr("%1 is no longer there").arg(name);
    }
    return {};
}

QString sentenceOf(const FileChanges &changes) {
    constexpr std::size_t named = 2;
    QStringList parts;
    for (std::size_t i = 0; i < std::min(changes.changed.size(), named); ++i)
        parts << wordsOf(changes.changed[i]);
    if (changes.changed.size() > named)
        parts << MainWindow::tr("%1 further files have changed").arg(changes.changed.size() - named);
    return parts.join("; ") + ".";
}

} // namespace

QWidget *MainWindow::viewOf(const QString &name) const {
    return tabs_->widget(static_cast<int>(viewNames.indexOf(name)));
}

QString MainWindow::viewName() const {
    return viewNames.value(tabs_->currentIndex());
}

void MainWindow::chooseView(const QString &name) {
    if (const auto i = viewNames.indexOf(name); i >= 0)
        tabs_->setCurrentIndex(static_cast<int>(i));
}

bool MainWindow::showView(const QString &name) {
    if (name == "start") {
        showStart();
        return true;
    }
    if (!viewNames.contains(name))
        return false;
    leaveStart();
    chooseView(name);
    return true;
}

QWidget *MainWindow::currentView() const {
    return startShown() ? start_ : tabs_->currentWidget();
}

bool MainWindow::startShown() const {
    return stack_->currentWidget() == start_;
}

void MainWindow::showStart() {
    stack_->setCurrentWidget(start_);
    filters_->hide();
    placePanels();
    focusView();
}

void MainWindow::leaveStart() {
    if (!startShown())
        return;
    stack_->setCurrentWidget(tabs_);
    filters_->show();
    placePanels();
    focusView();
}

void MainWindow::makePanels() {
    const auto panel = [this](const QString &title, const char *name, const QString &what, QWidget *content) {
        auto *dock = new QDockWidget(title, this);
        dock->setObjectName(name);
        dock->setAccessibleName(what);
        dock->setWidget(content);
        dock->setFeatures(QDockWidget::DockWidgetClosable | QDockWidget::DockWidgetMovable);
        addDockWidget(Qt::RightDockWidgetArea, dock);
        connect(dock->toggleViewAction(), &QAction::triggered, this, [this, dock](bool on) {
            panels_.removeAll(dock->objectName());
            if (on)
                panels_ << dock->objectName();
        });
        return dock;
    };
    auto *scroll = new QScrollArea; // on a low screen
    scroll->setWidget(statistics_);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setAccessibleName(tr("Figures of range and selection"));
    scroll->setMinimumSize(statistics_->minimumWidth(), 120);
    scroll->setMaximumWidth(statistics_->maximumWidth());
    panel(tr("Figures"), "figures", tr("Figures of range and selection"), scroll);
    panel(tr("Marks"), "marks", tr("Marks"), marks_);
    connect(tabs_, &QTabWidget::currentChanged, this, &MainWindow::placePanels);
}

void MainWindow::setPanelsWanted(const QStringList &names) {
    panels_ = names;
    placePanels();
}

void MainWindow::placePanels() {
    // Only what is in front claims room, so that the window may be as small as that allows.
    const auto claim = [](QWidget *page, bool front) {
        const auto policy = front ? QSizePolicy::Preferred : QSizePolicy::Ignored;
        page->setSizePolicy(policy, policy);
    };
    for (int i = 0; i < tabs_->count(); ++i)
        claim(tabs_->widget(i), i == tabs_->currentIndex());
    for (int i = 0; i < stack_->count(); ++i)
        claim(stack_->widget(i), i == stack_->currentIndex());
    const QWidget *view = tabs_->currentWidget();
    const bool room = !startShown() && view != testbed_ && view != compare_ && view != model_;
    for (auto *dock : findChildren<QDockWidget *>())
        dock->setVisible(room && panels_.contains(dock->objectName()));
}

void MainWindow::makeNotices() {
    connect(&document_, &Document::fileChangesChanged, this, &MainWindow::showFileNotice);
    connect(&document_, &Document::rangeChanged, this, &MainWindow::showFileNotice);
    connect(&document_, &Document::filtersChanged, this, &MainWindow::showFileNotice);
    connect(start_, &StartPage::openWanted, this, [this](const QString &path) { open({path}); });
    connect(start_, &StartPage::askWanted, this, &MainWindow::askOpen);
    connect(&document_, &Document::failed, this, [this] {
        if (document_.empty() && !document_.loading())
            showStart();
    });
}

void MainWindow::showFileNotice() {
    const FileChanges news = document_.fileNews();
    if (news.changed.empty()) {
        fileNotice_->hide();
        return;
    }
    QString text = sentenceOf(news);
    if (document_.range() || !document_.filters().isEmpty() || news.vanished())
        text += tr(
            " Figures of a range or a filter are now those of the tasks in memory: without packets, TCP and "
            "findings.");
    std::vector<NoticeBar::Button> buttons;
    if (!news.vanished()) {
        buttons.push_back({tr("Reload"),
                           tr("Read the capture again; range, filters, selection and view stay (F5)"),
                           [this] { document_.reload(); }});
    }
    buttons.push_back({tr("Ignore"), tr("Go on with what was read"), [this] {
                           document_.ignoreFileChanges();
                           focusView();
                       }});
    fileNotice_->show(text, buttons);
}

void MainWindow::setMark() {
    Document &d = document_;
    if (d.empty())
        return;
    const Duration near = d.view().length() / 400;
    std::optional<Time> at;
    for (const auto *plot : currentView()->findChildren<TimePlot *>())
        if (const auto t = plot->timeUnderPointer())
            at = d.snapped(*t, near * 2);
    if (!at)
        at = d.selection().frame || d.selection().cycle ? d.selection().time
                                                        : d.view().from + d.view().length() / 2;
    if (const auto mark = d.toggleMark(*at, near))
        say(tr("%1 set at %2. Ctrl+M lists the marks.")
                .arg(mark->text, secondWords(mark->time - d.snapshot()->origin, d.view().length() / 1000)));
    else
        say(tr("Mark taken away."));
}

} // namespace iscsiscope::gui
