// SPDX-License-Identifier: GPL-2.0-or-later
// A session's two byte streams, built with the codec, and the list of PDUs in them.
#pragma once

#include "analyzer/iscsi/codec/direction.h"
#include "analyzer/iscsi/codec/frame_pdu.h"
#include "analyzer/iscsi/codec/opcode.h"
#include "analyzer/iscsi/codec/pdu/pdus.h"

#include <cstdint>
#include <random>
#include <span>
#include <vector>

// A login of one request and one response, from the operational stage into the full feature phase.
iscsiscope::LoginRequest only_login_request(std::uint32_t cmd_sn);
iscsiscope::LoginResponse only_login_response(std::uint32_t stat_sn, std::uint32_t cmd_sn);

struct DialogueOptions {
    bool header_digest = false;
    bool data_digest = false;
    bool target_leaves_digests_out = false; // never names them: None is in force
    int tasks = 20;
    std::uint32_t largest_data = 20000; // of one PDU
};

class Dialogue {
public:
    struct Placed {
        iscsiscope::Opcode opcode;
        std::uint64_t begin, end, header_end; // offsets; header with AHS and digest
        std::uint32_t data_length;
    };

    Dialogue(const DialogueOptions &, std::mt19937 &);

    const std::vector<std::byte> &stream(int side) const { return streams_[side]; } // 0 to target
    const std::vector<Placed> &pdus(int side) const { return pdus_[side]; }
    // Where the login ends, on each side.
    std::uint64_t login_end(int side) const { return login_end_[side]; }

private:
    void put(int side, const iscsiscope::HeaderBytes &, std::span<const std::byte> data);
    void log_in(const DialogueOptions &);
    void read(std::uint32_t itt, std::mt19937 &, std::uint32_t largest);
    void write(std::uint32_t itt, std::mt19937 &, std::uint32_t largest);
    std::vector<std::byte> payload(std::size_t, std::mt19937 &) const;

    std::vector<std::byte> streams_[2];
    std::vector<Placed> pdus_[2];
    std::uint64_t login_end_[2] = {0, 0};
    iscsiscope::DigestUse digests_{};
    std::uint32_t cmd_sn_ = 1, stat_sn_ = 1;
};
