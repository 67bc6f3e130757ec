// SPDX-License-Identifier: GPL-2.0-or-later
// RecordDelivery: hands the records of batches on as if each segment had been followed in file order: by
// works, with the numbers that tasks have in the capture, and with the connection attempts.
//
// In: batches that were worked off, in file order. Out: their records, and their anomalies, to the sinks.
#pragma once

#include "analyzer/cycles/attempts/connection_attempts.h"
#include "analyzer/cycles/records/cycle_numbers.h"
#include "analyzer/pipeline/batch/batch.h"

#include <cstdint>
#include <vector>

namespace iscsiscope {

class RecordDelivery {
public:
    // The sinks of the tables must outlive it. ports: of iSCSI, besides 3260 and 860.
    RecordDelivery(RecordTables, const std::vector<std::uint16_t> &ports);
    RecordDelivery(const RecordDelivery &) = delete;
    RecordDelivery &operator=(const RecordDelivery &) = delete;

    // The tables of which it takes the records.
    const RecordTables &wanted() const { return wanted_; }

    void deliver(Batch &);
    // The capture has ended, and all connections are closed.
    void finish() { attempts_.finish(); }

private:
    RecordTables records_;
    ConnectionAttempts attempts_;
    CycleNumbers numbers_;
    RecordTables wanted_; // those of the sinks, attempts_ and numbers_
};

} // namespace iscsiscope
