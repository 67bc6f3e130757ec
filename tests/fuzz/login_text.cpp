// SPDX-License-Identifier: GPL-2.0-or-later
// Text keys in two segments cut anywhere, then negotiated: the first byte cuts, the second says who
// speaks. What was parsed is built and parsed again.
#include "analyzer/iscsi/text/negotiation.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

using namespace iscsiscope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    if (size < 2)
        return 0;
    const auto *bytes = reinterpret_cast<const std::byte *>(data + 2);
    const std::vector<std::byte> text(bytes, bytes + (size - 2));
    const std::size_t cut = std::min<std::size_t>(data[0], text.size());

    TextCollector collector(4096);
    collector.add(std::span<const std::byte>(text).first(cut), (data[1] & 1) != 0);
    collector.add(std::span<const std::byte>(text).subspan(cut));
    const auto pairs = collector.finish();
    const auto written = build_text(pairs);
    TextError error{};
    if (parse_text(written, &error) != pairs || error != TextError::none)
        std::abort();

    Negotiation negotiation;
    unsigned turns = data[1];
    for (const auto &pair : pairs) {
        negotiation.add((turns & 1) != 0 ? Party::target : Party::initiator, pair.key, pair.value);
        (void)answer(pair.key, pair.value, pair.value);
        turns = turns >> 1 | (turns & 1) << 7;
    }
    const auto result = negotiation.result();
    const auto &p = result.parameters;
    if (p.first_burst_length > p.max_burst_length || p.max_burst_length < 512 || p.max_outstanding_r2t == 0 ||
        p.max_recv_data_segment_length_initiator < 512 || p.max_recv_data_segment_length_target < 512)
        std::abort();
    return 0;
}
