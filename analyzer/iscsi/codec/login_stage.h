// SPDX-License-Identifier: GPL-2.0-or-later
// LoginStage: the stages of the login phase (CSG and NSG, RFC 7143 section 11.12.3).
#pragma once

#include <cstdint>

namespace iscsiscope {

enum class LoginStage : std::uint8_t { security = 0, operational = 1, full_feature = 3 };

} // namespace iscsiscope
