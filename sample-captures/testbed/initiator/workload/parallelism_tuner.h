// SPDX-License-Identifier: GPL-2.0-or-later
// iSCSI-APT, the automatic parallelism tuner of Nomoto, Ohsaki, Inoue and Imase (2011): finds the number
// N of connections that gives the greatest throughput G(N), G having one peak. It knows no sockets and
// no clock: the caller carries N connections for a measuring time, reports G, and asks for the next N.
//
// Where the paper is silent this unit decides:
// - no connection carries nothing, so N = 0 is a known point with G = 0;
// - N cannot exceed the connections the session has, so maximum + 1 counts as a point below all others;
// - if the very first step of stage 1 already falls, the search turns round and steps the other way, so
//   that a bracket of three points always comes about;
// - points of stage 2 are rounded to the nearest integer, which is never l, m or r: none is probed twice in
//   one search;
// - G of a point is the median of `samples` measurements;
// - on a plateau, where the paper's comparisons go by noise, a `margin` above 0 prefers fewer connections:
//   more of them must yield more by that share, and fewer are as good while they are no further below the
//   best point of the search. 0 is the paper's rule.
#pragma once

#include <optional>
#include <vector>

namespace iscsiscope::testbed::initiator {

class ParallelismTuner {
public:
    enum class Step { multiply, raise, lower }; // N ← k·N, N + L, N − M
    enum class LeftPoint { paper, golden };     // l + ν(m − l), or the textbook m − ν(m − l)
    enum class Stage { bracketing, narrowing, settled };
    struct Settings {
        unsigned initial = 4;  // N_i
        unsigned maximum = 64; // connections the session has
        unsigned k = 2;        // at least 2
        unsigned l = 2, m = 2; // the paper's L and M, at least 1
        unsigned samples = 1;  // measurements a point, at least 1
        LeftPoint left_point = LeftPoint::paper;
        double margin = 0; // share of G, 0..0.5
    };
    struct Point {
        unsigned n = 0;
        double g = 0; // any unit, greater is better, ≥ 0
    };

    // Values outside their bounds are moved to the nearest bound.
    explicit ParallelismTuner(Settings settings);

    // Connections to use now; when settled, N_opt.
    unsigned current() const { return current_; }
    Stage stage() const { return stage_; }
    // One measurement at current(). Ignored when settled.
    void measured(double g);
    // The bandwidth has changed: stage 1 begins anew from N_opt (or from the best point so far).
    void restart(Step direction);
    // Points measured in this search, in order.
    const std::vector<Point> &points() const { return points_; }
    struct Bracket {
        Point l, m, r;
    };
    // From the end of stage 1 on.
    const std::optional<Bracket> &bracket() const { return bracket_; }

private:
    bool better(const Point &now, const Point &than) const;
    unsigned stepped(unsigned n) const;
    void bracketing_step(Point now);
    void narrow(Point now);
    void probe_or_settle();
    unsigned interior_point() const;

    Settings settings_;
    Stage stage_ = Stage::bracketing;
    Step step_ = Step::multiply;
    bool turned_ = false; // stage 1 goes against its first direction
    unsigned current_;
    std::vector<double> samples_;
    std::vector<Point> points_;
    std::optional<Point> before_, previous_; // the last two points of stage 1
    std::optional<Bracket> bracket_;
};

} // namespace iscsiscope::testbed::initiator
