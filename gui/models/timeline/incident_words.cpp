// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/models/timeline/incident_words.h"

#include "gui/models/words.h"

#include "analyzer/words/kind_words.h"

#include <QCoreApplication>

namespace iscsiscope::gui {
namespace {

QString incidentText(const char *text) {
    return QCoreApplication::translate("Incidents", text);
}

QString resetWords(const Snapshot &s, const Incident &i) {
    if (i.place == Incident::noPlace)
        return incidentText("The connection was reset");
    const EventRecord &e = s.tables.events[i.place];
    if (e.opcode == Opcode::reject)
        return incidentText("The target rejected a PDU");
    if (e.opcode == Opcode::async_message)
        return incidentText("Asynchronous message of the target");
    switch (e.code) { // RFC 7143 section 11.5.1
    case 1:
        return incidentText("The initiator asked to abort a task");
    case 2:
        return incidentText("The initiator asked to abort all its tasks of a logical unit");
    case 5:
        return incidentText("The initiator asked to reset a logical unit");
    case 6:
        return incidentText("The initiator asked to reset the target (warm)");
    case 7:
        return incidentText("The initiator asked to reset the target (cold)");
    default:
        return incidentText("Task management request %1").arg(e.code);
    }
}

QString loginWords(const Login &l) {
    if (l.accepted)
        return incidentText("Login, accepted after %1").arg(durationWords(l.end - l.start));
    if (l.finished)
        return incidentText("Login, refused with status %1.%2").arg(l.status_class).arg(l.status_detail);
    return incidentText("Login that was not finished");
}

} // namespace

QString readable(std::string_view identifier) {
    return words(identifier).replace('_', ' ');
}

QString incidentName(IncidentKind k) {
    switch (k) {
    case IncidentKind::sentAgain:
        return incidentText("sent again");
    case IncidentKind::outage:
        return incidentText("outage");
    case IncidentKind::failedTask:
        return incidentText("failed task");
    case IncidentKind::reset:
        return incidentText("reset or abort");
    case IncidentKind::login:
        return incidentText("login");
    }
    return {};
}

QString incidentMeaning(IncidentKind k) {
    switch (k) {
    case IncidentKind::sentAgain:
        return incidentText(
            "A segment whose bytes had been sent before (retransmission), at the time of the repeat.");
    case IncidentKind::outage:
        return incidentText("The path carried nothing: retransmissions got no answer.");
    case IncidentKind::failedTask:
        return incidentText("A task that did not end with status GOOD: an error status, an abort, a reset or "
                            "a lost connection.");
    case IncidentKind::reset:
        return incidentText(
            "A request to abort or reset, a Reject, an asynchronous message of the target, or the reset "
            "of the connection.");
    case IncidentKind::login:
        return incidentText("The begin of a login, accepted or not.");
    }
    return {};
}

QColor incidentColor(IncidentKind k) {
    switch (k) {
    case IncidentKind::sentAgain:
        return {0xd6, 0x27, 0x28};
    case IncidentKind::outage:
        return {0x8b, 0x00, 0x00};
    case IncidentKind::failedTask:
        return {0xe6, 0x55, 0x0d};
    case IncidentKind::reset:
        return {0x9c, 0x27, 0xb0};
    case IncidentKind::login:
        return {0x1f, 0x77, 0xb4};
    }
    return {};
}

QString incidentWords(const Snapshot &s, IncidentKind k, const Incident &i) {
    QString what;
    switch (k) {
    case IncidentKind::sentAgain: {
        const TcpRetransmission &r = s.tables.retransmissions.record(i.place);
        what = incidentText("%1 sent again (%2, lost %3)")
                   .arg(byteWords(r.length), readable(name(r.kind)), readable(name(r.place)));
        if (r.original_frame)
            what += incidentText(", first in frame %1").arg(*r.original_frame);
        break;
    }
    case IncidentKind::outage:
        what = incidentText("Outage of %1").arg(durationWords(s.tables.gaps.record(i.place).length));
        break;
    case IncidentKind::failedTask:
        what = incidentText("%1 of cycle %2: %3")
                   .arg(readable(name(s.tables.cycles.type(i.place))))
                   .arg(s.tables.cycles.cycle(i.place).number)
                   .arg(words(outcome_words(s.tables.cycles.outcome(i.place))));
        break;
    case IncidentKind::reset:
        what = resetWords(s, i);
        break;
    case IncidentKind::login:
        what = loginWords(*s.tables.connections[i.place].login);
        break;
    }
    return incidentText("%1, frame %2 at %3 s")
        .arg(what)
        .arg(i.frame)
        .arg(inSeconds(i.time - s.origin), 0, 'f', 6);
}

} // namespace iscsiscope::gui
