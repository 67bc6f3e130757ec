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

// What is wrong with a value, as a sentence; empty: nothing. The units are those of scenario files.
std::optional<QString> mistakeIn(Field, const QString &value);
// values: one a field, each right.
QString scenarioOf(const QStringList &values);

} // namespace iscsiscope::gui
