// SPDX-License-Identifier: GPL-2.0-or-later
// Facts in which a connection broke for a reason that the capture shows.
#include "cases.h"
#include "findings/stories/made_stories.h"

namespace iscsiscope::made {

FindingsResult words_of_duplicate_initiator() {
    return found(hosts_in_turn(6));
}

FindingsResult words_of_address_conflict() {
    return found(foreign({other_mac, 128}));
}

FindingsResult words_of_target_restart() {
    return found(restarted());
}

FindingsResult words_of_failover() {
    const TwoPaths t = failed_over();
    return found(t.facts, &t.sessions);
}

FindingsResult words_of_target_closed() {
    return found(closed_by_target());
}

} // namespace iscsiscope::made
