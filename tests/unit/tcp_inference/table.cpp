// SPDX-License-Identifier: GPL-2.0-or-later
#include "table.h"

#include <cstdio>

namespace iscsiscope::test {
namespace {

// A share as a percentage of six places; a dash where there is none.
std::string percent(double v) {
    char text[16];
    if (v != v)
        return "     -";
    std::snprintf(text, sizeof text, "%6.1f", 100 * v);
    return text;
}

} // namespace

void print_heading(int label_width) {
    std::printf("%-*s %7s %7s %6s | %13s | %13s | %13s | %6s %6s %6s | %6s %6s\n", label_width, "percent",
                "rows", "limited", "cover", "error med p90", "naive med p90", "elsewhere", "inside", "< low",
                "> high", "width", "allow");
}

void print_row(const std::string &label, int label_width, const Accuracy &a) {
    const auto both = [](const std::vector<double> &v) {
        return percent(quantile(v, 0.5)) + " " + percent(quantile(v, 0.9));
    };
    std::printf("%-*s %7zu %7zu %s | %s | %s | %s | %s %s %s | %s %s\n", label_width, label.c_str(), a.rows(),
                a.limited,
                percent(a.limited == 0 ? 0.0 / 0.0 : share(a.limited_estimated, a.limited)).c_str(),
                both(a.errors).c_str(), both(a.naive).c_str(), both(a.elsewhere).c_str(),
                percent(share(a.inside(), a.rows())).c_str(), percent(share(a.below_low, a.rows())).c_str(),
                percent(share(a.above_high, a.rows())).c_str(), percent(quantile(a.widths, 0.5)).c_str(),
                percent(quantile(a.allowed, 0.5)).c_str());
}

std::string label_shares(const std::array<std::size_t, 6> &labels) {
    std::size_t all = 0;
    for (const std::size_t n : labels)
        all += n;
    std::string text;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        if (labels[i] == 0)
            continue;
        char one[48];
        std::snprintf(one, sizeof one, "%s%s %.1f", text.empty() ? "" : ", ",
                      std::string(name(static_cast<SendLimit>(i))).c_str(), 100 * share(labels[i], all));
        text += one;
    }
    return text;
}

} // namespace iscsiscope::test
