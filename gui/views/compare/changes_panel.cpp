// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/views/compare/changes_panel.h"

#include "gui/models/words.h"
#include "gui/views/time_bars_widget.h"

#include <QHeaderView>
#include <QPainter>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace iscsiscope::gui {
namespace {

constexpr int barHeight = 18, space = 6;

const TimeSlice *sliceOf(const TimeBar &bar, const QString &name) {
    const auto at = std::find_if(bar.slices.begin(), bar.slices.end(),
                                 [&](const TimeSlice &s) { return s.name == name; });
    return at == bar.slices.end() ? nullptr : &*at;
}

QString shareChange(const TimeSlice *before, const TimeSlice *after) {
    const auto side = [](const TimeSlice *s) {
        return s == nullptr ? QString("-")
                            : QString("%1 (%2)").arg(durationWords(s->spent), shareWords(s->share));
    };
    return OwnersChange::tr("%1 → %2").arg(side(before), side(after));
}

// The owners of either bar, in their order.
std::vector<TimeSlice> ownersOf(const TimeBar (&bars)[2]) {
    std::vector<TimeSlice> all = bars[0].slices;
    for (const TimeSlice &s : bars[1].slices)
        if (sliceOf(bars[0], s.name) == nullptr)
            all.push_back(s);
    return all;
}

QTreeWidgetItem *group(QTreeWidget *tree, const QString &title) {
    auto *item = new QTreeWidgetItem(tree, {title});
    item->setFirstColumnSpanned(true);
    item->setExpanded(true);
    QFont bold = item->font(0);
    bold.setBold(true);
    item->setFont(0, bold);
    return item;
}

} // namespace

OwnersChange::OwnersChange(QWidget *parent) : QWidget(parent) {
    setObjectName("ownersChange");
    setAccessibleName(tr("Busy time by owner, in both captures"));
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void OwnersChange::setReports(const ReportPtr &first, const ReportPtr &second) {
    bars_[0] = ownerBar(*first);
    bars_[1] = ownerBar(*second);
    setAccessibleDescription(words());
    updateGeometry();
    update();
}

QString OwnersChange::words() const {
    QStringList lines;
    for (const TimeSlice &s : ownersOf(bars_))
        lines << s.name + ": " + shareChange(sliceOf(bars_[0], s.name), sliceOf(bars_[1], s.name));
    return lines.join('\n');
}

QSize OwnersChange::sizeHint() const {
    const int line = fontMetrics().height();
    const auto rows = static_cast<int>(ownersOf(bars_).size());
    return {320, line + 2 * (barHeight + space) + 3 * space + rows * (line + 2)};
}

void OwnersChange::paintEvent(QPaintEvent *) {
    QPainter p(this);
    tips_.clear();
    const int line = fontMetrics().height();
    const Duration most = std::max(bars_[0].whole, bars_[1].whole);
    p.setPen(palette().color(QPalette::WindowText));
    QFont bold = font();
    bold.setBold(true);
    p.setFont(bold);
    p.drawText(0, fontMetrics().ascent(), tr("Busy time by owner"));
    p.setFont(font());
    if (most <= Duration{}) {
        p.drawText(0, line + space + fontMetrics().ascent(), tr("not known of either capture"));
        return;
    }
    const QString titles[] = {tr("first"), tr("second")};
    const int left =
        std::max(fontMetrics().horizontalAdvance(titles[0]), fontMetrics().horizontalAdvance(titles[1])) + 8;
    const int right = fontMetrics().horizontalAdvance(durationWords(most) + "00") + 8;
    const int room = std::max(width() - left - right, 20);
    int y = line + space;
    for (int b = 0; b < 2; ++b) {
        p.drawText(QRect(0, y, left, barHeight), Qt::AlignVCenter, titles[b]);
        double x = left;
        for (const TimeSlice &s : bars_[b].slices) {
            const double w = inNs(s.spent) * room / inNs(most);
            const QRectF r(x, y, w, barHeight);
            p.fillRect(r, s.color);
            tips_.emplace_back(r.toAlignedRect(), tr("%1, %2: %3 (%4)\n%5")
                                                      .arg(titles[b], s.name, durationWords(s.spent),
                                                           shareWords(s.share), s.explanation));
            x += w;
        }
        p.drawText(QRect(static_cast<int>(x) + 6, y, right + room, barHeight), Qt::AlignVCenter,
                   durationWords(bars_[b].whole));
        y += barHeight + space;
    }
    y += space;
    for (const TimeSlice &s : ownersOf(bars_)) {
        paintSwatch(p, QRect(left, y + line / 2 - 5, 10, 10), s.color, Hatch::none);
        const QString text =
            s.name + ":  " + shareChange(sliceOf(bars_[0], s.name), sliceOf(bars_[1], s.name));
        const QRect place(left + 16, y, width() - left - 16, line);
        p.setPen(palette().color(QPalette::WindowText));
        p.drawText(place, Qt::AlignVCenter, fontMetrics().elidedText(text, Qt::ElideRight, place.width()));
        tips_.emplace_back(place, text + '\n' + s.explanation);
        y += line + 2;
    }
}

bool OwnersChange::event(QEvent *e) {
    return showTip(e, this, tips_) || QWidget::event(e);
}

ChangesPanel::ChangesPanel(QWidget *parent)
    : QWidget(parent), owners_(new OwnersChange), lists_(new QTreeWidget) {
    lists_->setObjectName("changedFindings");
    lists_->setAccessibleName(tr("Findings and settings that changed"));
    lists_->setHeaderLabels({tr("Findings and settings"), tr("First"), tr("Second"), QString()});
    lists_->setRootIsDecorated(false);
    lists_->setUniformRowHeights(true);
    lists_->setIndentation(12);
    lists_->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    lists_->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    lists_->header()->setStretchLastSection(false);
    lists_->headerItem()->setTextAlignment(1, Qt::AlignRight);
    lists_->headerItem()->setTextAlignment(2, Qt::AlignRight);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(owners_);
    layout->addWidget(lists_, 1);
}

void ChangesPanel::setReports(const ReportPtr &first, const ReportPtr &second, const Comparison &c) {
    owners_->setReports(first, second);
    lists_->clear();
    const auto row = [](QTreeWidgetItem *in, const QStringList &cells) {
        auto *item = new QTreeWidgetItem(in, cells);
        for (int i = 0; i < cells.size(); ++i)
            item->setToolTip(i, cells[i]);
        item->setTextAlignment(1, Qt::AlignRight);
        item->setTextAlignment(2, Qt::AlignRight);
    };
    QTreeWidgetItem *findings = group(lists_, tr("Findings, share of busy time"));
    for (const FindingChange &f : c.findings) {
        row(findings, {QString::fromStdString(f.title), f.before ? shareWords(*f.before) : "-",
                       f.after ? shareWords(*f.after) : "-",
                       !f.before  ? tr("appeared")
                       : !f.after ? tr("gone")
                                  : QString()});
    }
    if (c.findings.empty())
        row(findings, {tr("none in either")});
    if (!c.settings.empty()) {
        QTreeWidgetItem *settings = group(lists_, tr("Settings that differ"));
        const auto shown = [](const std::string &v) { return v.empty() ? QString("-") : words(v); };
        for (const SettingChange &s : c.settings)
            row(settings, {words(s.name), shown(s.before), shown(s.after), QString()});
    }
}

} // namespace iscsiscope::gui
