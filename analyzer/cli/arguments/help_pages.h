// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <memory>

namespace CLI { // NOLINT(readability-identifier-naming): the library names it so
class FormatterBase;
}

namespace iscsiscope::cli {

// Lays out --help: no line is wider than `width` columns, but for the examples, which can be copied, and
// words that are longer.
std::shared_ptr<CLI::FormatterBase> help_pages(std::size_t width);

} // namespace iscsiscope::cli
