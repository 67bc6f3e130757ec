// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/findings/attribution/connection_end.h"

#include "analyzer/base/number_format.h"

#include <initializer_list>
#include <utility>

namespace iscsiscope {
namespace {

struct EndSegment {
    OptionalFrame frame;
    Time time{};
    bool by_reset = false;

    // Frames of a file may be out of order, times of those that are followed are not.
    bool before(const EndSegment &other) const {
        return std::pair(time, *frame) < std::pair(other.time, *other.frame);
    }
};

// The first FIN or RST of one end; without a frame: none.
EndSegment end_of(const FinalDirectionFigures &f) {
    if (!f)
        return {};
    const EndSegment reset{f->reset_frame, f->reset_time, true}, fin{f->fin_frame, f->fin_time, false};
    return reset.frame && (!fin.frame || reset.before(fin)) ? reset : fin;
}

} // namespace

FirstEnd first_end(const ConnectionFacts &c) {
    const EndSegment initiator = end_of(c.to_target), target = end_of(c.to_initiator);
    FirstEnd e;
    e.known = initiator.frame || target.frame;
    if (!e.known)
        return e;
    e.by_target = target.frame && (!initiator.frame || target.before(initiator));
    const EndSegment &first = e.by_target ? target : initiator, &second = e.by_target ? initiator : target;
    e.by_reset = first.by_reset;
    e.frame = *first.frame;
    e.time = first.time;
    e.answer = second.frame;
    e.answered_by_reset = second.by_reset;
    e.answer_time = second.time;
    return e;
}

std::string first_end_words(const FirstEnd &e) {
    if (!e.known)
        return {};
    const std::string first = e.by_target ? "target" : "initiator",
                      second = e.by_target ? "initiator" : "target";
    const std::string frame = " (frame " + std::to_string(e.frame) + ")";
    if (e.by_reset)
        return "An RST with the address of the " + first + frame + " ended the connection";
    if (!e.answer || !e.answered_by_reset)
        return "The " + first + " sent FIN first" + frame;
    return "The " + first + " sent FIN first" + frame + ", which the " + second + " answered with RST " +
           (e.answer_time > e.time ? human::duration(e.answer_time - e.time) + " later " : std::string()) +
           "(frame " + std::to_string(*e.answer) + ")";
}

} // namespace iscsiscope
