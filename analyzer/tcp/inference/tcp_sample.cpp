// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/tcp/inference/tcp_sample.h"

namespace iscsiscope {

std::string_view name(SenderState s) {
    switch (s) {
    case SenderState::slow_start:
        return "slow_start";
    case SenderState::avoidance:
        return "avoidance";
    case SenderState::recovery:
        return "recovery";
    case SenderState::loss:
        return "loss";
    case SenderState::idle_restart:
        return "idle_restart";
    case SenderState::unknown:
        break;
    }
    return "unknown";
}

std::string_view name(SendLimit l) {
    switch (l) {
    case SendLimit::application:
        return "application";
    case SendLimit::receive_window:
        return "receive_window";
    case SendLimit::send_buffer:
        return "send_buffer";
    case SendLimit::cwnd:
        return "cwnd";
    case SendLimit::pacing:
        return "pacing";
    case SendLimit::unknown:
        break;
    }
    return "unknown";
}

std::string_view name(Anchor a) {
    switch (a) {
    case Anchor::timestamp:
        return "timestamp";
    case Anchor::half_loop:
        return "half_loop";
    case Anchor::tap:
        break;
    }
    return "tap";
}

} // namespace iscsiscope
