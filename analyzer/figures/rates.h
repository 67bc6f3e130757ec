// SPDX-License-Identifier: GPL-2.0-or-later
// Throughput, IOPS and tasks in progress (docs/figures.md, "Rates").
#pragma once

#include "analyzer/figures/report.h"

namespace iscsiscope {

// Rates of a group of tasks, with what they rest on. Each is empty if its time is not known or not positive.
struct Rates {
    std::uint64_t tasks = 0, bytes = 0;
    // The time in which a Read or Write of the group was open at the initiator. Empty if no answer to
    // one is in the capture: then it is not known when they ended.
    std::optional<Duration> data_time;
    Duration uncertain{};          // by which the data time may be longer; nearly always zero
    std::optional<Duration> range; // elapsed() of the report

    std::optional<double> throughput, iops;                 // bytes and tasks per second of the data time
    std::optional<double> average_throughput, average_iops; // per second of the range
    std::optional<double> outstanding;                      // mean number open during the data time
    // TCP payload of the connections by sequence number, and per second of the data time. Stated of Reads and
    // Writes together only, of a session or of all. Empty with a filter, and with a range if no passed bytes
    // were reported in it (records that are replayed have none). The rate is empty unless tasks_known(): the
    // data time does not hold that of tasks that were not found.
    std::optional<std::uint64_t> wire_bytes;
    std::optional<double> wire_rate;
};

// Whether nearly all of the tasks are known: no more than a thousandth of the bytes belongs to no PDU that
// was found, and, where bytes were cut or are unseen, no task stands without its command. If not, figures of
// tasks rest on the tasks that were found, and data time may be too short.
bool tasks_known(const Report &);

// Rates of the tasks of one type. Control tasks have averages only.
Rates rates(const Report &, TaskType);
// Rates of some of the tasks of one type, over the data time of all tasks of that type, so that they add up.
Rates rates(const Report &, TaskType, std::uint64_t tasks, std::uint64_t bytes);
// Rates of some Reads and Writes of a session, over the data time of all of them, so that they add up.
Rates rates(const Report &, SessionId session, std::uint64_t tasks, std::uint64_t bytes);
// Rates of Reads and Writes together.
Rates rates(const Report &);
// Averages over a length of time; no data time is known.
Rates average_rates(std::uint64_t tasks, std::uint64_t bytes, std::optional<Duration> range);

// The rates of the Reads, of the Writes, or of both, of a LUN, of a session, or of all sessions.
struct RateRow {
    std::optional<SessionId> session;
    std::optional<std::uint64_t> lun;
    std::string_view type; // "read", "write" or "both"
    Rates rates;
};
// All rows with tasks, except that those of all sessions are always there: of all sessions, then of each
// session, each with its LUNs behind it.
std::vector<RateRow> rate_rows(const Report &);

} // namespace iscsiscope
