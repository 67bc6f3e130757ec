// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/words/capture/range_words.h"

#include "analyzer/base/number_format.h"
#include "analyzer/figures/report.h"

#include <fmt/format.h>

namespace iscsiscope {

std::string range_words(const Report &r) {
    return fmt::format("only {} to {}: {}, {}; the file was read from its start",
                       r.range.begin() == Time::min() ? "the start" : human::instant(r.range.begin()),
                       r.range.end() == Time::max() ? "the end" : human::instant(r.range.end()),
                       human::plural(r.capture.range_frames, "packet", "packets"),
                       human::bytes(r.capture.range_bytes));
}

std::string of_whole_capture(const Report &r, std::string_view note) {
    const std::string_view alone = !r.range.everything() ? "range" : "filter";
    return r.range.everything() && r.filter.empty()
               ? std::string(note)
               : fmt::format("{}; of the whole capture, not of the {} alone", note, alone);
}

std::string of_all_commands(const Report &r, std::string_view note) {
    if (r.filter.empty())
        return std::string(note);
    return fmt::format("{}{}of all commands, not of the filter's alone", note, note.empty() ? "" : "; ");
}

} // namespace iscsiscope
