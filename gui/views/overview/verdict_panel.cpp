// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/views/overview/verdict_panel.h"

#include "gui/models/words.h"

#include "analyzer/figures/totals.h"
#include "analyzer/words/headline.h"
#include "analyzer/words/outcome_sentence.h"
#include "analyzer/words/verdict_words.h"

#include <QLabel>
#include <QVBoxLayout>

namespace iscsiscope::gui {

VerdictPanel::VerdictPanel(Document &document, QWidget *parent)
    : QWidget(parent), document_(document), verdict_(new QLabel), numbers_(new QLabel) {
    verdict_->setObjectName("verdict");
    verdict_->setAccessibleName(tr("Verdict"));
    QFont large = verdict_->font();
    large.setPointSizeF(large.pointSizeF() * 1.2);
    large.setBold(true);
    verdict_->setFont(large);
    numbers_->setObjectName("headline");
    numbers_->setAccessibleName(tr("Throughput, response time, commands in flight, busy time, outcome"));
    numbers_->setTextFormat(Qt::RichText);
    for (QLabel *l : {verdict_, numbers_}) {
        l->setWordWrap(true);
        l->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    }
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(2);
    layout->addWidget(verdict_);
    layout->addWidget(numbers_);
    connect(&document, &Document::figuresChanged, this, &VerdictPanel::refresh);
    refresh();
}

void VerdictPanel::refresh() {
    const Snapshot &s = *document_.snapshot();
    const Report &r = *document_.figures();
    setVisible(!document_.empty());
    const bool known = s.complete && !document_.figuresPending() && r.findings.has_value();
    verdict_->setVisible(known || document_.figuresPending());
    numbers_->setVisible(!document_.figuresPending());
    if (document_.figuresPending()) {
        verdict_->setText(tr("Counting what the range and the filters pick …"));
        return;
    }
    if (known)
        verdict_->setText(QString::fromStdString(verdict_words(r, capture_verdict(r))));
    if (!elapsed(r)) {
        numbers_->setText(words(no_command_sentence(r)).toHtmlEscaped());
        return;
    }
    QString html = "<table cellspacing=0 cellpadding=0>";
    const auto row = [&html](const QString &name, const QString &value) {
        html += "<tr><td>" + name.toHtmlEscaped() + "&nbsp;&nbsp;</td><td>" + value + "</td></tr>";
    };
    for (const HeadlineNumber &n : headline(r)) {
        QString text = QString::fromStdString(iscsiscope::words(n));
        const QString value = QString::fromStdString(n.value);
        const QString number = text.startsWith(value) ? "<b>" + value.toHtmlEscaped() + "</b>" : QString();
        if (!number.isEmpty())
            text = text.mid(value.size());
        row(words(n.name), number + text.toHtmlEscaped());
    }
    row(tr("Outcome"), QString::fromStdString(outcome_sentence(r).text).toHtmlEscaped());
    if (const std::string missed = missed_commands_sentence(r); !missed.empty())
        row({}, QString::fromStdString(missed).toHtmlEscaped());
    numbers_->setText(html + "</table>");
}

} // namespace iscsiscope::gui
