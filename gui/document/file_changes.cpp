// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/document/file_changes.h"

#include <QFile>

#include <algorithm>
#include <sys/stat.h>

namespace iscsiscope::gui {
bool FileChanges::vanished() const {
    return std::any_of(
        changed.begin(), changed.end(), [](const FileChange &c) { return c.fate == FileFate::vanished; });
}

bool FileChanges::onlyGrown() const {
    return std::all_of(
        changed.begin(), changed.end(), [](const FileChange &c) { return c.fate == FileFate::grown; });
}

std::vector<FileState> statesOf(const QStringList &files) {
    std::vector<FileState> states;
    for (const QString &path : files) {
        FileState s;
        s.path = path;
        struct stat st {};
        if (::stat(QFile::encodeName(path).constData(), &st) == 0) {
            s.there = true;
            s.regular = S_ISREG(st.st_mode);
            s.size = static_cast<std::uint64_t>(st.st_size);
            s.changed = std::int64_t{st.st_mtim.tv_sec} * 1'000'000'000 + st.st_mtim.tv_nsec;
            s.device = st.st_dev;
            s.node = st.st_ino;
        }
        states.push_back(s);
    }
    return states;
}

FileChanges changesOf(const std::vector<FileState> &before, const std::vector<FileState> &now) {
    FileChanges changes;
    for (std::size_t i = 0; i < std::min(before.size(), now.size()); ++i) {
        const FileState &a = before[i], &b = now[i];
        if (!a.there || !a.regular || a == b)
            continue;
        if (!b.there)
            changes.changed.push_back({a.path, FileFate::vanished, 0});
        else if (a.device != b.device || a.node != b.node)
            changes.changed.push_back({a.path, FileFate::replaced, 0});
        else if (b.size > a.size)
            changes.changed.push_back({a.path, FileFate::grown, b.size - a.size});
        else
            changes.changed.push_back({a.path, FileFate::rewritten, 0});
    }
    return changes;
}

} // namespace iscsiscope::gui
