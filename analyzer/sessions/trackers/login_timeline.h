// SPDX-License-Identifier: GPL-2.0-or-later
// Records each login, the time waited for either end in it, and the number of the attempt.
#pragma once

#include "analyzer/cycles/records/record_sink.h"
#include "analyzer/sessions/figures/login_figures.h"

#include <map>
#include <string>
#include <utility>

namespace iscsiscope {

class LoginTimeline {
public:
    static constexpr std::size_t max_logins = 1024, max_under_way = 4096;

    // A Login Request or Login Response.
    void step(const PduRecord &);
    // The login has ended, accepted or not.
    void login(const LoginRecord &);

    LoginSummary take();

private:
    struct UnderWay {
        Duration waiting_for_target{}, waiting_for_initiator{};
        std::optional<Time> last; // delivery of the latest PDU
        bool last_by_target = false;
    };
    std::map<StreamId, UnderWay> under_way_; // by stream
    std::map<std::pair<std::string, std::string>, std::uint32_t> attempts_;
    LoginSummary summary_;
};

} // namespace iscsiscope
