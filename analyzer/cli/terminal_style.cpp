// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cli/common_options.h"
#include "analyzer/cli/program.h"
#include "analyzer/report/text/text_page.h"

#include <clocale>
#include <cstdlib>
#include <cstring>
#include <langinfo.h>
#include <unistd.h>

namespace iscsiscope::cli {

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
    if (!quantiles.empty())
        style.quantiles = quantiles;
    return style;
}

} // namespace iscsiscope::cli
