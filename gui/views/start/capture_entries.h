// SPDX-License-Identifier: GPL-2.0-or-later
// The captures that the start page offers: those opened last and the bundled samples.
#pragma once

#include <QDateTime>
#include <QString>

#include <vector>

namespace iscsiscope::gui {

struct CaptureEntry {
    QString path, title, detail;
    bool there = true;
    qint64 size = 0; // bytes
    QDateTime changed;
};

// Asks the file system about these files, which takes long where a server does not answer.
std::vector<CaptureEntry> recentEntries(const QStringList &files);
// The samples of the first folder that has some: beside the installed program, in the data folders of the
// system and the user, in the source tree that the program lies in. Empty: there are none.
std::vector<CaptureEntry> sampleEntries();
// The samples of this folder: NAME/NAME.END.pcapng.zst.
std::vector<CaptureEntry> samplesIn(const QString &folder);

} // namespace iscsiscope::gui
