// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/models/findings_model.h"

#include "gui/models/words.h"

#include "analyzer/words/finding_words.h"

namespace iscsiscope::gui {

FindingsModel::FindingsModel(Document &document, QObject *parent)
    : QAbstractListModel(parent), document_(document), report_(document.figures()) {
    connect(
        &document, &Document::figuresChanged, this,
        [this] {
            if (document_.figuresPending())
                return; // the old ones stay until then; the list's title says that they are counted anew
            beginResetModel();
            report_ = document_.figures();
            endResetModel();
        });
}

int FindingsModel::rowCount(const QModelIndex &parent) const {
    return parent.isValid() || !report_->findings ? 0 : static_cast<int>(report_->findings->findings.size());
}

QVariant FindingsModel::data(const QModelIndex &index, int role) const {
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const Finding &f = finding(index.row());
    switch (role) {
    case Qt::DisplayRole:
        return QString::fromStdString(f.title);
    case Qt::ToolTipRole:
    case SentenceRole:
        return QString::fromStdString(f.sentence);
    case Qt::AccessibleTextRole:
        return tr("%1: %2. %3")
            .arg(words(name(f.severity)), QString::fromStdString(f.title),
                 QString::fromStdString(f.sentence));
    case RemedyRole:
        return QString::fromStdString(f.remedy);
    case SeverityRole:
        return words(name(f.severity));
    case LostRole:
        return QVariant::fromValue<qlonglong>(to_ns(f.lost_time));
    case ShareRole:
        return f.share;
    case KindRole:
        return words(name(f.kind));
    case FramesRole: {
        QVariantList frames;
        for (const EvidenceFrame &e : f.evidence)
            frames << QVariant::fromValue<qulonglong>(e.frame);
        return frames;
    }
    default:
        return {};
    }
}

QString FindingsModel::emptyWords() const {
    if (!document_.snapshot()->complete)
        return tr("Findings are shown when the whole capture has been read.");
    if (!report_->findings && report_->tasks() > 0)
        return tr("Findings of a range need the file, which cannot be read any more.");
    return report_->findings ? QString::fromStdString(std::string(no_findings))
                             : tr("This capture has no iSCSI to analyse. Details says what it has.");
}

QString FindingsModel::scopeWords() const {
    if (document_.figuresPending())
        return tr("counting …");
    return report_->findings ? QString::fromStdString(findings_note(*report_->findings)) : QString();
}

QString FindingsModel::coverWords() const {
    return report_->findings && !document_.figuresPending() ? QString::fromStdString(findings_cover(*report_))
                                                            : QString();
}

} // namespace iscsiscope::gui
