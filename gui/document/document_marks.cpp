// SPDX-License-Identifier: GPL-2.0-or-later
// The document's marks.
#include "gui/document/document.h"
#include "gui/document/file_state.h"

#include <algorithm>

namespace iscsiscope::gui {

std::optional<Mark> Document::toggleMark(Time time, Duration within) {
    const auto near = std::find_if(marks_.begin(), marks_.end(),
                                   [&](const Mark &m) { return std::chrono::abs(m.time - time) <= within; });
    std::optional<Mark> set;
    if (near != marks_.end()) {
        marks_.erase(near);
    } else {
        // The lowest number that no mark has.
        QString name;
        for (int i = 1; name.isEmpty(); ++i) {
            const QString candidate = tr("Mark %1").arg(i);
            if (std::none_of(marks_.begin(), marks_.end(),
                             [&](const Mark &m) { return m.text == candidate; }))
                name = candidate;
        }
        set = Mark{time, name};
        marks_.push_back(*set);
        std::sort(marks_.begin(), marks_.end(), [](const Mark &a, const Mark &b) { return a.time < b.time; });
    }
    keepMarks();
    return set;
}

void Document::renameMark(std::size_t index, const QString &name) {
    if (index >= marks_.size() || name.trimmed().isEmpty() || marks_[index].text == name.trimmed())
        return;
    marks_[index].text = name.trimmed();
    keepMarks();
}

void Document::removeMark(std::size_t index) {
    if (index >= marks_.size())
        return;
    marks_.erase(marks_.begin() + static_cast<std::ptrdiff_t>(index));
    keepMarks();
}

void Document::keepMarks() {
    emit marksChanged();
    if (!snapshot_->files.isEmpty()) {
        if (const auto mistake = saveMarks(snapshot_->files.front(), marks_))
            emit failed(*mistake);
    }
}

void Document::showTime(Time time) {
    const Duration length = view_.length();
    setView({time - length / 2, time - length / 2 + length});
}

} // namespace iscsiscope::gui
