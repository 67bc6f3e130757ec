// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/document/together.h"

#include <QFile>

namespace iscsiscope::gui {

std::variant<Suggestion, QString> suggestTogether(const QString &first, const QString &second,
                                                  const std::atomic<bool> &stop) {
    const auto a = survey_capture(QFile::encodeName(first).toStdString(), stop);
    if (!a.ok())
        return QString::fromStdString(a.failure().message);
    const auto b = survey_capture(QFile::encodeName(second).toStdString(), stop);
    if (!b.ok())
        return QString::fromStdString(b.failure().message);
    const RelationGuess guess = relation_of(a.value(), b.value());
    return Suggestion{guess.relation, QString::fromStdString(guess.reason)};
}

} // namespace iscsiscope::gui
