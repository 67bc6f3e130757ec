// SPDX-License-Identifier: GPL-2.0-or-later
// ConformanceTracker: hands PDUs to the checks of each field of duty, which test them against the rules of
// conformance.h. A rule that depends on a negotiated value is tested only if the login with that value is in
// the capture; a rule on what the other end had sent, only if all of it is.
#pragma once

#include "analyzer/base/containers/by_index.h"
#include "analyzer/sessions/conformance/data_rules.h"
#include "analyzer/sessions/conformance/form_rules.h"
#include "analyzer/sessions/conformance/login_rules.h"
#include "analyzer/sessions/conformance/number_rules.h"
#include "analyzer/sessions/conformance/request_rules.h"
#include "analyzer/sessions/conformance/task_rules.h"

#include <array>
#include <vector>

namespace iscsiscope {

class ConformanceTracker {
public:
    // A PDU of the initiator, or of the target, other than those of a login. in_window: of a request that
    // uses up a CmdSN, whether it is inside the command window.
    void request(const Member &, const Pdu &, std::optional<bool> in_window);
    void answer(const Member &, const Pdu &);
    // A Login Request or Response; `member` is null before the connection is logged in.
    void login_pdu(const Member *, const PduRecord &);
    // Another PDU of a connection that has no session yet.
    void before_login(const PduRecord &r) { login_.other_pdu(r.connection->stream, r.pdu); }
    void login(const LoginRecord &r) { login_.login(r); }
    void task(const Member &, const CycleRecord &);
    void anomaly(const Anomaly &, const Member *);
    // Called after the last PDU of the connection; the member is null if it has no session.
    void close(const Member *, const ConnectionRecord &);

    // To be called once.
    ConformanceFigures take();

private:
    // Null: the PDU shows too little to be tested, and what the connection had sent is forgotten.
    ConnectionRules *prepare(const Member &, const Pdu &);
    void forget(const Member &);

    Violations violations_;
    RuleCounts counts_{violations_};
    FormRules form_{counts_};
    NumberRules numbers_{counts_};
    TaskRules tasks_{counts_};
    DataRules data_{counts_};
    RequestRules requests_{counts_};
    LoginRules login_{counts_};
    ByIndex<ConnectionRules> states_; // by member
    Time last_answer_{};              // of the last PDU of a target
    Opcode last_answer_kind_{};
};

} // namespace iscsiscope
