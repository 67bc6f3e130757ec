// SPDX-License-Identifier: GPL-2.0-or-later
// What became of a capture's files since they were read: grown, as one being written, replaced by another of
// the name, rewritten in place, or gone.
#pragma once

#include <QString>
#include <QStringList>

#include <cstdint>
#include <vector>

namespace iscsiscope::gui {

inline constexpr int lookEvery = 1500; // ms between looks at the files

struct FileState {
    QString path;
    bool there = false;
    bool regular = false;               // pipes and devices have no state that could change
    std::uint64_t size = 0;             // bytes
    std::int64_t changed = 0;           // time of the last change, ns
    std::uint64_t device = 0, node = 0; // which file it is, whatever its name
    bool operator==(const FileState &) const = default;
};

enum class FileFate { grown, replaced, rewritten, vanished };

struct FileChange {
    QString path;
    FileFate fate{};
    std::uint64_t by = 0; // grown: bytes
    bool operator==(const FileChange &) const = default;
};

struct FileChanges {
    std::vector<FileChange> changed; // in the order of the files
    bool operator==(const FileChanges &) const = default;
    bool vanished() const; // of any of them
    // Whether what was read is still there, with more after it or not.
    bool onlyGrown() const;
};

// Asks the file system, which takes long where a server does not answer.
std::vector<FileState> statesOf(const QStringList &files);
// Files that were not there when they were read, and others than regular ones, do not change.
FileChanges changesOf(const std::vector<FileState> &before, const std::vector<FileState> &now);

} // namespace iscsiscope::gui
