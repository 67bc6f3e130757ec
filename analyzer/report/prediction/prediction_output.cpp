// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/prediction/prediction_output.h"

#include "analyzer/base/number_format.h"
#include "analyzer/report/json/json_parts.h"
#include "analyzer/words/capture/range_words.h"
#include "analyzer/words/model_words.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace iscsiscope {
namespace {

std::string time_of(double ns) {
    return ns <= 0 ? "-" : human::duration(std::llround(ns));
}

// Of changes of one setting the last one counts.
void write_changes(JsonWriter &w, const std::vector<Change> &changes) {
    w.open_object("changes");
    for (auto c = changes.begin(); c != changes.end(); ++c) {
        const auto same = [&](const Change &other) { return other.setting == c->setting; };
        if (std::none_of(changes.begin(), c, same))
            w.add(name(c->setting), std::find_if(changes.rbegin(), changes.rend(), same)->value);
    }
    w.close();
}

void write_prediction(JsonWriter &w, const PredictionRow &row) {
    const Prediction &p = row.prediction;
    w.open_object();
    w.add("type", name(row.model.input.type));
    write_model_basis(w, row.model.input);
    write_changes(w, row.changes);
    w.add("measured", p.measured);
    w.add("modelled", p.modelled);
    w.add("predicted", p.predicted);
    w.add("low", p.low);
    w.add("high", p.high);
    w.add("certainty", name(p.certainty));
    w.add("interval", p.interval);
    write_parts(w, "before", p.before);
    write_parts(w, "after", p.after);
    w.add("bottleneck_before", name(p.bottleneck_before));
    w.add("bottleneck_after", name(p.bottleneck_after));
    write_verdicts(w, "keys", p.keys);
    w.add("remarks", p.remarks);
    w.close();
}

} // namespace

std::string prediction_text(const Report &r, const std::vector<PredictionRow> &rows, const TextStyle &style) {
    TextPage page(style);
    page.heading("PREDICTION");
    page.item("File", human::path(r.capture.path));
    if (!r.range.everything())
        page.item("Range", range_words(r), Tone::notice);
    if (rows.empty()) {
        page.line("No read and no write in the capture that a model could start from.", 2, Tone::notice);
        return page.finish();
    }
    for (const PredictionRow &row : rows) {
        const Prediction &p = row.prediction;
        const ModelInput &m = row.model.input;
        page.heading(m.type == TaskType::read ? "READS" : "WRITES",
                     fmt::format("{}, {:.2g} outstanding, {:g} connection{}", modelled_tasks(m), m.depth,
                                 m.connections, m.connections == 1 ? "" : "s"));
        page.item("Measured", human::megabyte_rate(p.measured) + " over that time");
        page.item("Modelled", fmt::format("{} ({}); limited by {}", human::megabyte_rate(p.modelled),
                                          human::change(p.model_error()), words(p.bottleneck_before)));
        if (!row.changes.empty()) {
            page.item("Predicted",
                      fmt::format("{}{}, between {} and {} ({}); {}; limited by {}",
                                  p.certainty == Certainty::at_least      ? "at least "
                                  : p.certainty == Certainty::beyond_seen ? "up to "
                                                                          : "",
                                  human::megabyte_rate(p.predicted), human::megabyte_rate(p.low),
                                  human::megabyte_rate(p.high), p.interval,
                                  human::change(p.predicted_change()), words(p.bottleneck_after)),
                      Tone::strong);
        }
        TextTable cycle({"<one cycle", ">round trips", ">target", ">transfer", ">held ACKs", ">host",
                         ">queued", ">in all"});
        const auto add = [&](const char *what, const CycleParts &c) {
            cycle.row({what, time_of(c.round_trips), time_of(c.service), time_of(c.transfer), time_of(c.held),
                       time_of(c.think), time_of(c.queued), time_of(c.total())});
        };
        add("as it is", p.before);
        if (!row.changes.empty())
            add("changed", p.after);
        page.table(cycle);
        page.blank();
        TextTable keys({"<setting", "<is", "<binds", "<best of the range tried", ">which gains"});
        for (const KeyVerdict &k : p.keys) {
            keys.row({k.key, k.value.empty() ? "not known" : k.value,
                      !k.judged ? "not known"
                      : k.binds ? "yes"
                                : "no",
                      k.best_of(), k.gain_words()});
        }
        page.table(keys);
        page.blank();
        for (const KeyVerdict &k : p.keys)
            page.line(fmt::format("{}: {}", k.key, k.reason), 2, Tone::dim);
        for (const std::string &s : p.remarks)
            page.line(s, 2, Tone::dim);
    }
    return page.finish();
}

std::string prediction_json(const Report &r, const std::vector<PredictionRow> &rows) {
    return json_text([&](JsonWriter &w) {
        w.open_object();
        w.add("file", r.capture.path);
        write_range(w, "range", r);
        w.open_array("predictions");
        for (const PredictionRow &row : rows)
            write_prediction(w, row);
        w.close();
        w.close();
    });
}

} // namespace iscsiscope
