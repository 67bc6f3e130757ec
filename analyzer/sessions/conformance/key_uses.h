// SPDX-License-Identifier: GPL-2.0-or-later
// Who may send a text key, and in which stage (RFC 7143 sections 12 and 13, RFC 7144 section 7.1).
#pragma once

#include "analyzer/iscsi/text/negotiated_key.h"

#include <cstdint>
#include <string_view>

namespace iscsiscope {

enum class KeyStage : std::uint8_t { security, operational, full_feature };

// Keys that no standard defines (X-..., Z-...) may be sent by both ends in each stage.
bool key_sender_allowed(std::string_view key, Party, KeyStage);
bool key_stage_allowed(std::string_view key, KeyStage);
// A key that may be sent more than once in a login.
bool key_may_repeat(std::string_view key);

} // namespace iscsiscope
