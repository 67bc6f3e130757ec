// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cli/common_options.h"
#include "analyzer/cli/program.h"
#include "analyzer/report/text/text_page.h"

#include <algorithm>
#include <charconv>
#include <clocale>
#include <cstdlib>
#include <cstring>
#include <langinfo.h>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>

namespace iscsiscope::cli {

std::size_t terminal_width(const std::string &output) {
    constexpr std::size_t narrowest = 40, widest = 160;
    std::size_t width = 80;
    if (winsize size{}; output == "-" && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0)
        width = size.ws_col;
    if (const char *columns = std::getenv("COLUMNS"); columns != nullptr) {
        std::size_t asked = 0;
        const std::string_view text(columns);
        if (const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), asked);
            error == std::errc{} && end == text.data() + text.size() && asked != 0)
            width = asked;
    }
    return std::clamp(width, narrowest, widest);
}

TextStyle terminal_style(const std::string &output, const std::vector<double> &quantiles) {
    TextStyle style;
    const bool terminal = output == "-" && is_terminal(STDOUT_FILENO);
    const char *no_color = std::getenv("NO_COLOR"); // https://no-color.org: present and not empty
    const char *term = std::getenv("TERM");
    style.color = terminal && (no_color == nullptr || *no_color == '\0') &&
                  (term == nullptr || std::strcmp(term, "dumb") != 0);
    if (terminal) {
        std::setlocale(LC_CTYPE, "");
        style.utf8 = std::strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    }
    style.width = terminal_width(output);
    if (!quantiles.empty())
        style.quantiles = quantiles;
    return style;
}

} // namespace iscsiscope::cli
