// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "gui/document/document.h"

#include <QStringList>

#include <functional>

class QWidget;

namespace iscsiscope::gui {

// Lets events happen until it holds; false: not within minutes, in which any machine gets there.
bool waitFor(const std::function<bool()> &);
// Opens it and waits until nothing is under way.
bool openAndWait(Document &, const QStringList &files);
bool settled(Document &);
// Asks for a picture of the widget and waits until it was drawn: what waited for a layout has its place then.
// False: not within minutes, as of a widget that is not shown.
bool painted(QWidget &);

QString sample(const QString &name); // of the bundled captures
QStringList realCaptures();          // those there are; empty: none
QStringList bundledCaptures();
// Standard output of `iscsiscope ARGUMENTS`.
QByteArray commandLine(const QStringList &arguments);
// Cycles like a busy target's, by a simple recurrence; for sizes that no capture has.
SnapshotPtr synthetic(std::size_t cycles, std::size_t connections, std::size_t samples);

} // namespace iscsiscope::gui
