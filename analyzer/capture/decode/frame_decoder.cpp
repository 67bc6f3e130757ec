// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/capture/decode/frame_decoder.h"

#include "analyzer/capture/decode/link_type.h"
#include "analyzer/capture/decode/packet_decoder.h"

#include <algorithm>

namespace iscsiscope {

FrameDecoder::FrameDecoder(AnomalySink &sink) : state_(std::make_unique<State>(sink)) {}
FrameDecoder::~FrameDecoder() = default;

bool FrameDecoder::decode(const Frame &frame, Segment &segment) {
    State &state = *state_;
    segment.frame = frame.number;
    segment.time = frame.time;
    const auto captured =
        static_cast<std::uint32_t>(std::min<std::size_t>(frame.bytes.size(), std::size_t{UINT32_MAX}));
    const PacketView view{frame.bytes.data(), captured, std::max(captured, frame.original_length)};
    if (frame.link_type == link_ethernet && state.repeated.read(view, segment)) [[likely]] {
        ++state.counts.tcp;
        return true;
    }
    state.faults.begin(frame.number);
    state.tunnels.clear();
    segment.source_mac = {};
    const bool found = state.link(frame.link_type, view, segment);
    if (!state.tunnels.path().empty())
        state.encapsulations.add(state.tunnels.path());
    if (!found)
        return false;
    if (frame.link_type == link_ethernet)
        state.repeated.note(view, segment);
    return true;
}

void FrameDecoder::finish() {
    state_->reassembly.finish();
}

const ProtocolCounts &FrameDecoder::protocols() const {
    return state_->counts;
}

const UnreadCounts &FrameDecoder::unread() const {
    return state_->unread;
}

std::vector<EncapsulationCount> FrameDecoder::encapsulations() const {
    return state_->encapsulations.counts();
}

std::vector<MirrorSession> FrameDecoder::mirror_sessions() const {
    return state_->mirrors.sessions();
}

const std::vector<IcmpError> &FrameDecoder::icmp_errors() const {
    return state_->icmp_errors.all();
}

} // namespace iscsiscope
