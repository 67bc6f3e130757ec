// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace iscsiscope::html {

// Begins a document, up to <body>, with its style sheet. The content security policy names style sheet and
// scripts by their SHA-256: a browser applies nothing else, neither what a name from the network might bring
// into the page nor style attributes. The scripts are the exact texts between the tags of the body's scripts.
std::string document_head(std::string_view title, std::string_view style,
                          std::span<const std::string_view> scripts);

} // namespace iscsiscope::html
