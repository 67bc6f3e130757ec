// SPDX-License-Identifier: GPL-2.0-or-later
// Incidents on the lanes, in words.
#pragma once

#include "gui/document/snapshot.h"

#include <QColor>
#include <QString>

namespace iscsiscope::gui {

QString incidentName(IncidentKind);
QString incidentMeaning(IncidentKind); // for the legend
QColor incidentColor(IncidentKind);
// One sentence with the time and frame.
QString incidentWords(const Snapshot &, IncidentKind, const Incident &);
// An identifier of the engine as people read it: "first data wait".
QString readable(std::string_view identifier);

} // namespace iscsiscope::gui
