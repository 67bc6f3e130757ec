// SPDX-License-Identifier: GPL-2.0-or-later
// Frames of any link type, several in a row so that fragments meet. Input: records of link type
// index, length, bytes missing from the file, and the bytes.
#include "analyzer/capture/decode/frame_decoder.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

using namespace iscsiscope;

namespace {

class Ignore : public AnomalySink {
public:
    void on_anomaly(const Anomaly &) override {}
};

void require(bool holds) {
    if (!holds)
        std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    static constexpr std::uint32_t links[] = {1, 0, 12, 14, 101, 108, 113, 228, 229, 276, 999};
    Ignore sink;
    FrameDecoder decoder(sink);
    Segment segment;
    std::uint64_t frames = 0;
    unsigned sum = 0;
    while (size >= 3) {
        const std::uint32_t link_type = links[data[0] % std::size(links)];
        const std::size_t length = std::min<std::size_t>(data[1], size - 3);
        // A copy of exact size, so that AddressSanitizer sees a byte too far.
        const auto *bytes = reinterpret_cast<const std::byte *>(data + 3);
        const std::vector<std::byte> copy(bytes, bytes + length);
        const Frame frame{.number = ++frames,
                          .time = time_from_ns(static_cast<std::int64_t>(frames) * 1'000'000'000),
                          .link_type = link_type,
                          .original_length = static_cast<std::uint32_t>(length) + data[2],
                          .bytes = copy};
        if (decoder.decode(frame, segment)) {
            require(segment.frame == frames);
            require(segment.payload.size() <= segment.payload_length);
            require(segment.options.sack_count <= segment.options.sack.size());
            for (const std::byte b : segment.payload)
                sum += static_cast<unsigned>(b);
        }
        data += 3 + length;
        size -= 3 + length;
    }
    decoder.finish();
    const ProtocolCounts &c = decoder.protocols();
    require(c.tcp + c.udp + c.icmp + c.arp + c.other_ip + c.other == frames);
    const UnreadCounts &unread = decoder.unread();
    require(unread.roce_v1 + unread.macsec <= c.other && unread.roce_v2 <= c.udp &&
            unread.ipsec <= c.udp + c.other_ip);
    std::uint64_t around = 0, mirrored = 0;
    for (const EncapsulationCount &e : decoder.encapsulations()) {
        require(e.packets != 0);
        around += e.packets;
    }
    require(around <= frames);
    std::uint64_t said = 0;
    for (const IcmpError &e : decoder.icmp_errors()) {
        require(e.messages != 0 && e.first_frame <= e.last_frame && e.mtu != 0U);
        said += e.messages;
    }
    require(said <= c.icmp);
    for (const MirrorSession &m : decoder.mirror_sessions()) {
        require(m.session < 1024 && m.packets != 0);
        mirrored += m.packets;
    }
    require(mirrored <= 6 * frames); // a mirror's copy may be one of a mirror's copy
    return sum == 0x7fffffff ? 1 : 0;
}
