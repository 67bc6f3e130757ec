// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/models/experiment/testbed_scenario.h"

#include "analyzer/base/units.h"

#include <QCoreApplication>

namespace iscsiscope::gui {
namespace {

QString testbedText(const char *text) {
    return QCoreApplication::translate("Testbed", text);
}

template <class T>
std::optional<QString> mistakeOf(const Result<T> &r) {
    return r.ok() ? std::nullopt : std::optional(QString::fromStdString(r.failure().message));
}

std::optional<QString> notWithin(const QString &text, qlonglong least, qlonglong most) {
    bool good = false;
    const qlonglong v = text.toLongLong(&good);
    return good && v >= least && v <= most
               ? std::nullopt
               : std::optional(testbedText("a whole number from %L1 to %L2").arg(least).arg(most));
}

// RFC 7143 section 13.13, 13.14: 512 to 2^24 - 1 bytes.
std::optional<QString> burstMistake(const std::string &text) {
    const auto r = parse_bytes(text);
    if (!r.ok())
        return mistakeOf(r);
    return r.value() >= 512 && r.value() <= 16'777'215
               ? std::nullopt
               : std::optional(testbedText("512 to 16777215 bytes (RFC 7143)"));
}

} // namespace

const std::vector<FieldInfo> &testbedFields() {
    static const std::vector<FieldInfo> fields{
        {Field::workload,
         testbedText("Workload"),
         testbedText("What the initiator does"),
         "seq-read",
         {"seq-read", "seq-write", "rand-read", "rand-write", "mixed"}},
        {Field::block, testbedText("Block size"), testbedText("Bytes of a request: 64KiB, 1MB"), "64KiB", {}},
        {Field::count, testbedText("Requests"), testbedText("The run ends after so many"), "100", {}},
        {Field::depth, testbedText("Queue depth"), testbedText("Commands outstanding at once"), "1", {}},
        {Field::connections,
         testbedText("Connections"),
         testbedText("TCP connections of the session (MC/S)"),
         "1",
         {}},
        {Field::delay,
         testbedText("Delay, one way"),
         testbedText("Of the link between initiator and target: 1ms, 500us"),
         "1ms",
         {}},
        {Field::rate, testbedText("Rate"), testbedText("Of the link: 100Mbit/s"), "100Mbit/s", {}},
        {Field::loss, testbedText("Loss"), testbedText("Share of packets lost: 0, 0.1%"), "0", {}},
        {Field::queue,
         testbedText("Queue"),
         testbedText("Packets that the link's drop-tail queue holds"),
         "200",
         {}},
        {Field::congestion,
         testbedText("Congestion control"),
         testbedText("Of both hosts"),
         "reno",
         {"reno", "cubic", "bbr"}},
        {Field::maxBurstLength,
         testbedText("MaxBurstLength"),
         testbedText("Largest solicited burst, bytes"),
         "256KiB",
         {}},
        {Field::firstBurstLength,
         testbedText("FirstBurstLength"),
         testbedText("Largest unsolicited burst, bytes"),
         "64KiB",
         {}},
        {Field::initialR2t,
         testbedText("InitialR2T"),
         testbedText("Yes: no unsolicited Data-Out"),
         "No",
         {"Yes", "No"}},
        {Field::immediateData,
         testbedText("ImmediateData"),
         testbedText("Yes: data may be sent with the command"),
         "Yes",
         {"Yes", "No"}},
    };
    return fields;
}

std::optional<QString> mistakeIn(Field field, const QString &value) {
    const QString trimmed = value.trimmed();
    const std::string text = trimmed.toStdString();
    switch (field) {
    case Field::block: {
        const auto r = parse_bytes(text);
        if (!r.ok())
            return mistakeOf(r);
        return r.value() >= 512 && r.value() % 512 == 0 && r.value() <= (64U << 20)
                   ? std::nullopt
                   : std::optional(testbedText("a multiple of 512 bytes, at most 64MiB"));
    }
    case Field::count:
        return notWithin(trimmed, 1, 10'000'000);
    case Field::depth:
        return notWithin(trimmed, 1, 65'536);
    case Field::connections:
        return notWithin(trimmed, 1, 1024);
    case Field::delay: {
        const auto r = parse_duration(text);
        if (!r.ok())
            return mistakeOf(r);
        return r.value().count() >= 0 && r.value() <= std::chrono::seconds(10)
                   ? std::nullopt
                   : std::optional(testbedText("0 to 10s"));
    }
    case Field::rate: {
        const auto r = parse_rate(text);
        if (!r.ok())
            return mistakeOf(r);
        return r.value() > 0 ? std::nullopt : std::optional(testbedText("more than 0"));
    }
    case Field::loss: {
        const auto r = parse_share(text);
        return r.ok() && r.value() < 1
                   ? std::nullopt
                   : std::optional(testbedText("a share of packets, such as 0.1% or 0.001"));
    }
    case Field::queue:
        return notWithin(trimmed, 2, 1'000'000);
    case Field::maxBurstLength:
    case Field::firstBurstLength:
        return burstMistake(text);
    default:
        for (const FieldInfo &f : testbedFields())
            if (f.field == field && !f.choices.contains(trimmed))
                return testbedText("one of %1").arg(f.choices.join(", "));
        return std::nullopt;
    }
}

QString scenarioOf(const QStringList &values) {
    const auto v = [&values](Field f) { return values[static_cast<qsizetype>(f)].trimmed(); };
    const auto bytes = [&v](Field f) { return QString::number(parse_bytes(v(f).toStdString()).value()); };
    return QString("# SPDX-License-Identifier: GPL-2.0-or-later\n"
                   "# Made by the testbed panel of iscsiscope-gui.\n"
                   "description = \"%1, %2, %3 one way\"\n\n"
                   "[[host]]\nname = \"initiator\"\ncongestion_control = \"%4\"\n\n"
                   "[[host]]\nname = \"target\"\ncongestion_control = \"%4\"\n\n"
                   "[[path]]\nbetween = [\"initiator\", \"target\"]\nlinks = [\"wan\"]\n\n"
                   "[[link]]\nname = \"wan\"\ndelay = \"%3\"\nrate = \"%5\"\nqueue_packets = %6\nloss = "
                   "\"%7\"\n\n"
                   "[[program]]\nhost = \"target\"\nrun = \"target\"\n"
                   "options = { portal = \"{target}:3260\", name = \"iqn.2026-11.example:disk\", lun = "
                   "\"ram:64MiB\" }\n\n"
                   "[[program]]\nhost = \"initiator\"\nrun = \"initiator\"\n"
                   "arguments = [\"iscsi://{target}/iqn.2026-11.example:disk/0\"]\n")
               .arg(v(Field::workload), v(Field::block), v(Field::delay), v(Field::congestion),
                    v(Field::rate), v(Field::queue), v(Field::loss)) +
           QString("options = { workload = \"%1\", block = \"%2\", count = %3, depth = %4, connections = %5, "
                   "key = [")
               .arg(v(Field::workload), v(Field::block), v(Field::count), v(Field::depth),
                    v(Field::connections)) +
           QString(
               "\"MaxBurstLength=%1\", \"FirstBurstLength=%2\", \"InitialR2T=%3\", \"ImmediateData=%4\"] }\n")
               .arg(bytes(Field::maxBurstLength), bytes(Field::firstBurstLength), v(Field::initialR2t),
                    v(Field::immediateData));
}

} // namespace iscsiscope::gui
