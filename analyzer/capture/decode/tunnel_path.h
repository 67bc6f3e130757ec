// SPDX-License-Identifier: GPL-2.0-or-later
// TunnelPath: the tags and tunnels around the packet that is being decoded, from the frame's begin down
// to it. They are added as their headers are read; a tunnel deeper than the sixth is refused, so that a frame
// of nested tunnels has an end.
#pragma once

#include "analyzer/capture/decode/tallies/encapsulation.h"

namespace iscsiscope {

class TunnelPath {
public:
    // At the begin of a frame.
    void clear() {
        path_.clear();
        depth_ = 0;
    }
    void add_tag(EncapsulationKind kind, std::uint32_t id) { path_.add(kind, id); }
    // Returns false if the packet is nested too deep; the caller then counts the frame.
    bool enter(EncapsulationKind kind, std::uint32_t id = 0) {
        if (depth_ == max_depth)
            return false;
        ++depth_;
        path_.add(kind, id);
        return true;
    }
    const EncapsulationPath &path() const { return path_; }

private:
    static constexpr int max_depth = 6;

    EncapsulationPath path_;
    int depth_ = 0; // tunnels entered
};

} // namespace iscsiscope
