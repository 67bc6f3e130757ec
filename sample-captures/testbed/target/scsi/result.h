// SPDX-License-Identifier: GPL-2.0-or-later
// What comes of a SCSI command.
#pragma once

#include "analyzer/iscsi/scsi/cdb.h"
#include "analyzer/iscsi/scsi/status.h"
#include "sample-captures/testbed/target/scsi/buffer.h"
#include "sample-captures/testbed/target/scsi/sense.h"
#include "sample-captures/testbed/target/service/service_model.h"

#include <cstdint>
#include <optional>
#include <span>

namespace iscsiscope::testbed {

// An I_T nexus: one session, as a logical unit knows it.
enum class NexusId : std::uint64_t {};

// Bytes of the medium.
struct MediumRange {
    std::uint64_t offset = 0, bytes = 0;
};

struct ScsiResult {
    ScsiStatus status = ScsiStatus::good;
    std::optional<Sense> sense{}; // with CHECK CONDITION
    Buffer data_in{};             // all the command gives; the transport cuts it to what was asked for
    // Data-in that is read from the medium when it is sent; data_in is empty then.
    std::optional<MediumRange> medium_data{};
    std::optional<Access> access{}; // what the medium was asked to do: takes time by the service model

    std::uint64_t data_in_length() const { return medium_data ? medium_data->bytes : data_in.size(); }

    static ScsiResult check(const Sense &s) { return ScsiResult{ScsiStatus::check_condition, s, {}, {}, {}}; }
    static ScsiResult of(ScsiStatus s) { return ScsiResult{s, {}, {}, {}, {}}; }
};

struct ScsiRequest {
    NexusId nexus{};
    std::span<const std::byte> cdb;        // at least 16 bytes
    CommandInfo info;                      // of that CDB
    std::span<const std::byte> data_out{}; // what came; shorter than data_out_length() where EDTL was
    std::uint64_t expected_data_out = 0;   // what the initiator announced, bytes
};

} // namespace iscsiscope::testbed
