// SPDX-License-Identifier: GPL-2.0-or-later
// A study: what it runs, and what its page says. Pages are made of these plain values (`page.h`).
#pragma once

#include "sample-captures/testbed/papers/lab/plot.h"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace iscsiscope::testbed::papers {

class Lab;
class Published;

struct Heading {
    std::string text;
};
struct Paragraph {
    std::string text;
};
struct Table {
    std::string title;
    std::vector<std::string> head; // with units
    std::vector<std::vector<std::string>> rows;
};
using Block = std::variant<Heading, Paragraph, Table, Plot>;

enum class Verdict { reproduced, in_shape, not_reproduced, not_run };
std::string_view text_of(Verdict);

// One published claim and what became of it.
struct Claim {
    std::string id;                         // a short name that stays, for the JSON file and tests
    std::string statement;                  // as published
    std::string published, model, measured; // figures with units; empty: there is none
    Verdict verdict = Verdict::not_run;
    std::string why; // always: what the verdict rests on
};

struct StudyPage {
    std::vector<Block> blocks;
    std::vector<Claim> claims;
    std::string scale; // how rates or times were scaled, or that they were not
};

struct StudyContext {
    Lab &lab;
    const Published &published;
    bool quick = false; // fewer points, seconds instead of minutes
};

struct Study {
    std::string_view name; // as the command line has it; also names its data file
    std::string_view title;
    StudyPage (*run)(const StudyContext &);
};
// In the order of experiments.
const std::vector<Study> &all_studies();

StudyPage apt_study(const StudyContext &);

// `good`: within what the claim says. `shape`: the mechanism or the order shows, the figures do not.
inline Verdict judged(bool good, bool shape) {
    return good ? Verdict::reproduced : shape ? Verdict::in_shape : Verdict::not_reproduced;
}

} // namespace iscsiscope::testbed::papers
