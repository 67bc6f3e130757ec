// SPDX-License-Identifier: GPL-2.0-or-later
// The PDUs of a clean capture, walked from the start of each stream: bytes and order come from tshark
// (TCP payload by sequence number), PDU boundaries and digests from the codec under test.
#pragma once

#include "analyzer/iscsi/codec/direction.h"
#include "analyzer/iscsi/codec/header_bytes.h"
#include "analyzer/iscsi/text/negotiation.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

struct WalkedPdu {
    iscsiscope::PduDirection direction{};
    iscsiscope::HeaderBytes header{};
    std::size_t offset = 0; // in its stream
    std::vector<std::byte> data;
};

struct WalkedConnection {
    std::vector<std::byte> stream[2]; // by PduDirection
    std::vector<WalkedPdu> pdus[2];
    iscsiscope::NegotiationResult login;
    std::size_t walked[2] = {0, 0}; // bytes of each stream that are whole PDUs
};

struct WalkedCapture {
    std::map<std::uint64_t, WalkedConnection> connections; // by tshark's tcp.stream
    std::size_t digests_ok = 0, digests_bad = 0;
};

// Folder of the captures, or nullopt if there is none (or no tshark): a line says so.
std::optional<std::string> capture_folder();

WalkedCapture walk_capture(const std::string &path);

// tshark's output for one capture: a row a frame, columns of -e fields, empty ones kept.
std::vector<std::vector<std::string>> tshark_rows(const std::string &path, const std::string &filter,
                                                  const std::vector<std::string> &fields);
