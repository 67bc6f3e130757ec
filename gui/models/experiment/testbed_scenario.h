// SPDX-License-Identifier: GPL-2.0-or-later
// The fields of the testbed panel: what each takes, and the scenario (a text in the testbed's format) that
// they make together.
#pragma once

#include <QString>
#include <QStringList>

#include <optional>
#include <vector>

namespace iscsiscope::gui {

enum class Field : std::uint8_t {
    workload,
    block,
    count,
    depth,
    connections,
    delay,
    rate,
    loss,
    queue,
    congestion,
    maxBurstLength,
    firstBurstLength,
    initialR2t,
    immediateData,
};
inline constexpr std::size_t fieldCount = 14;

struct FieldInfo {
    Field field{};
    QString name, toolTip, preset;
    QStringList choices; // empty: free text
};
const std::vector<FieldInfo> &testbedFields();

// Returns the mistake in a value as a sentence; empty: none. The units are those of scenario files.
std::optional<QString> mistakeIn(Field, const QString &value);
// Returns the scenario of these values: one for each field, each without a mistake.
QString scenarioOf(const QStringList &values);

} // namespace iscsiscope::gui
