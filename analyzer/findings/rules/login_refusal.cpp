// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/findings/rules/login_refusal.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace iscsiscope {
namespace {

struct Status {
    std::uint8_t status_class, detail;
    std::string_view words, remedy;
};

// The numbers of iscsiadm and of Windows are those of docs/questions.md, "Names".
constexpr Status statuses[] = {
    {2, 0, "initiator error",
     "Look at the target's log for the reason, which the status does not state, and compare the names and "
     "keys that the initiator sends with what the target takes. iscsiadm reports error 19, Windows event 10 "
     "(iScsiPrt)."},
    {2, 1, "authentication failed",
     "Check the CHAP name and secret at both ends. iscsiadm reports error 24, Windows event 10 (iScsiPrt)."},
    {2, 2, "not allowed to this target",
     "Add the initiator's name to the access list of the target (LIO: acls; tgtd: initiator-name), or "
     "correct "
     "the name at the initiator (Linux: /etc/iscsi/initiatorname.iscsi). iscsiadm reports error 19, Windows "
     "event 10 (iScsiPrt)."},
    {2, 3, "target not found",
     "Check the target name that the initiator asks for, and that this portal exports that target; then "
     "discover the targets anew. iscsiadm reports error 19, Windows event 10 (iScsiPrt)."},
    {2, 4, "target removed",
     "Delete the target's record at the initiator (iscsiadm -m node -T … -o delete) and discover anew: the "
     "target was removed for good, and no other portal is named for it."},
    {2, 5, "unsupported version",
     "Update the initiator or the target: they have no version of iSCSI in common. Every implementation of "
     "today uses version 0, so look for a program that is not one of iSCSI."},
    {2, 6, "too many connections",
     "Let the session have fewer connections (MaxConnections; Windows: MCS), or allow more at the target. "
     "Look "
     "there for connections that are left over from a host that is gone."},
    {2, 7, "missing parameter",
     "Let the initiator send the keys that the target misses: InitiatorName, and TargetName unless "
     "SessionType=Discovery. Look at the target's log for which one it is."},
    {2, 8, "cannot include in session",
     "Use one session for each portal with multipathing in place of several connections in one session "
     "(Windows: MPIO, not MCS): the target's session cannot reach over to this portal."},
    {2, 9, "session type not supported",
     "Discover at another portal or by an iSNS server, or enter the target by hand: this portal does not "
     "serve this type of session (SessionType) to this initiator."},
    {2, 10, "session does not exist",
     "Let the initiator log in to a new session (TSIH 0): the target does not know the one that this "
     "connection shall join. Look at the target's log for a restart or for why it ended the session."},
    {2, 11, "invalid request during login",
     "Update the initiator: before its login was done it sent a request that belongs to the time after it. "
     "Look at the frames before the refusal."},
    {3, 0, "target error",
     "Look at the target's log for this login: the target states a fault of its own hardware or software."},
    {3, 1, "service unavailable",
     "Check the target name that the initiator asks for, and that the target is enabled on this portal (LIO "
     "answers so for a name that it does not have). Then look at the target's log. iscsiadm reports error "
     "5."},
    {3, 2, "out of resources",
     "Raise the target's limit of sessions and connections, or its memory, and end sessions that are left "
     "over "
     "from hosts that are gone; its log says which limit it was. Names and secrets are not the cause, "
     "although some hosts report an authentication failure."},
};

const Status *find(const Login &l) {
    const auto at = std::ranges::find_if(statuses, [&](const Status &s) {
        return s.status_class == l.status_class && s.detail == l.status_detail;
    });
    return at != std::end(statuses) ? at : nullptr;
}

} // namespace

std::string login_refusal_words(const Login &l) {
    if (const Status *s = find(l))
        return std::string(s->words);
    return "status class " + std::to_string(l.status_class) + ", detail " + std::to_string(l.status_detail);
}

std::string login_refusal_remedy(const Login &l) {
    const Status *s = find(l);
    return s != nullptr ? std::string(s->remedy) : std::string();
}

} // namespace iscsiscope
