// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/views/start/start_page.h"

#include "gui/document/background.h"
#include "gui/document/file_state.h"
#include "gui/views/start/capture_list.h"

#include <QApplication>
#include <QBoxLayout>
#include <QEvent>
#include <QLabel>
#include <QPushButton>

namespace iscsiscope::gui {
namespace {

QLabel *heading(const QString &text, double larger) {
    auto *label = new QLabel(text);
    QFont font = label->font();
    font.setPointSizeF(font.pointSizeF() * larger);
    font.setBold(true);
    label->setFont(font);
    return label;
}

QWidget *box(std::initializer_list<QWidget *> content) {
    auto *w = new QWidget;
    auto *layout = new QVBoxLayout(w);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    for (QWidget *c : content)
        layout->addWidget(c);
    if (content.size() > 1)
        layout->setStretch(layout->count() - 1, 1);
    return w;
}

} // namespace

StartPage::StartPage(QWidget *parent)
    : QWidget(parent), drop_(new QFrame), open_(new QPushButton(tr("&Open a capture…"))),
      recent_(new CaptureList), samples_(new CaptureList),
      none_(new QLabel(tr("Captures that you open are listed here."))),
      hint_(new QLabel(tr("Enter opens, Delete removes from the list"))) {
    setAccessibleName(tr("Start page"));
    drop_->setObjectName("dropHere");
    open_->setObjectName("startOpen");
    open_->setAutoDefault(true);
    open_->setToolTip(tr("pcap or pcapng, plain, .gz or .zst; several files are the parts of one capture"));
    recent_->setObjectName("recentCaptures");
    recent_->setAccessibleName(tr("Captures opened last"));
    samples_->setObjectName("sampleCaptures");
    samples_->setAccessibleName(tr("Sample captures"));
    auto *words =
        new QLabel(tr("Drop captures here: pcap or pcapng, plain, .gz or .zst. Two files can be compared."));
    words->setWordWrap(true);
    auto *dropLayout = new QHBoxLayout(drop_);
    dropLayout->setContentsMargins(16, 14, 16, 14);
    dropLayout->addWidget(words, 1);
    dropLayout->addWidget(open_);

    hint_->setForegroundRole(QPalette::PlaceholderText);
    auto *recentHead = new QWidget;
    auto *headLayout = new QHBoxLayout(recentHead);
    headLayout->setContentsMargins(0, 0, 0, 0);
    headLayout->addWidget(heading(tr("Recent captures"), 1.1));
    headLayout->addStretch();
    headLayout->addWidget(hint_);
    none_->setForegroundRole(QPalette::PlaceholderText);
    none_->setAlignment(Qt::AlignTop);
    none_->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Expanding);
    auto *recentBox = box({recentHead, none_, recent_});
    sampleBox_ = box({heading(tr("Samples to learn from"), 1.1), samples_});
    sampleBox_->setObjectName("sampleBox");

    auto *lists = new QHBoxLayout;
    lists->setSpacing(24);
    lists->addWidget(recentBox, 1);
    lists->addWidget(sampleBox_, 1);
    auto *page = new QWidget;
    page->setMaximumWidth(1100);
    auto *pageLayout = new QVBoxLayout(page);
    pageLayout->setSpacing(10);
    pageLayout->addWidget(heading("iscsiscope", 1.9));
    auto *purpose = new QLabel(tr("Where the time of iSCSI Reads and Writes goes, and why."));
    purpose->setForegroundRole(QPalette::PlaceholderText);
    pageLayout->addWidget(purpose);
    pageLayout->addSpacing(4);
    pageLayout->addWidget(drop_);
    pageLayout->addSpacing(8);
    pageLayout->addLayout(lists, 1);
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(20, 14, 20, 14);
    layout->addStretch(1);
    layout->addWidget(page, 1000);
    layout->addStretch(1);
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);

    setTabOrder(recent_, samples_);
    setTabOrder(samples_, open_);
    open_->setMinimumHeight(fontMetrics().height() + 14);
    connect(open_, &QPushButton::clicked, this, &StartPage::askWanted);
    for (CaptureList *list : {recent_, samples_})
        connect(list, &CaptureList::chosen, this, &StartPage::openWanted);
    connect(recent_, &CaptureList::removeWanted, this, &StartPage::forget);
    take({}, {});
    colour();
}

QWidget *StartPage::firstFocus() const {
    return recent_->entries().empty() ? static_cast<QWidget *>(open_) : recent_;
}

void StartPage::refresh() {
    static const StopFlag never = std::make_shared<std::atomic<bool>>(false);
    runInBackground(
        this, never,
        [files = recentFiles()](const std::atomic<bool> &) {
            return std::pair(recentEntries(files), sampleEntries());
        },
        [this](const auto &lists) { take(lists.first, lists.second); });
}

void StartPage::take(const std::vector<CaptureEntry> &recent, const std::vector<CaptureEntry> &samples) {
    recent_->setEntries(recent, true);
    samples_->setEntries(samples, false);
    recent_->setVisible(!recent.empty());
    none_->setVisible(recent.empty());
    hint_->setVisible(!recent.empty());
    sampleBox_->setVisible(!samples.empty());
    if (isVisible() && !placed_ && !recent.empty() &&
        (QApplication::focusWidget() == open_ || QApplication::focusWidget() == nullptr)) {
        placed_ = true;
        recent_->setFocus();
    }
}

void StartPage::forget(const QString &path) {
    removeRecentFile(path);
    std::vector<CaptureEntry> left = recent_->entries();
    left.erase(
        std::remove_if(left.begin(), left.end(), [&](const CaptureEntry &e) { return e.path == path; }),
        left.end());
    take(left, samples_->entries());
    if (left.empty())
        open_->setFocus();
}

void StartPage::showEvent(QShowEvent *e) {
    QWidget::showEvent(e);
    refresh();
}

void StartPage::changeEvent(QEvent *e) {
    if (e->type() == QEvent::PaletteChange)
        colour();
    QWidget::changeEvent(e);
}

void StartPage::colour() {
    const QColor line = palette().color(QPalette::PlaceholderText),
                 back = palette().color(QPalette::AlternateBase);
    const QString sheet = QString("#dropHere { border: 1px dashed %1; border-radius: 6px; background: %2; }")
                              .arg(line.name(), back.name());
    if (drop_->styleSheet() != sheet)
        drop_->setStyleSheet(sheet);
}

} // namespace iscsiscope::gui
