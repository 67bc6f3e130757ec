// SPDX-License-Identifier: GPL-2.0-or-later
// Any 48 bytes as a header, what follows as AHS: what is taken can be written and read again, and a
// plausible header can be parsed.
#include "analyzer/iscsi/codec/ahs.h"
#include "analyzer/iscsi/codec/pdu/pdus.h"
#include "analyzer/iscsi/codec/pdu/plausible.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

using namespace iscsiscope;

namespace {

// True if T takes the header; aborts if it does not come back the same.
template <class T>
bool takes(HeaderView view) {
    const auto pdu = T::parse(view);
    if (!pdu)
        return false;
    const HeaderBytes again = pdu->encode();
    if (T::parse(HeaderView(again)) != pdu)
        std::abort();
    return true;
}

template <class... T>
int takers(HeaderView view) {
    return (0 + ... + (takes<T>(view) ? 1 : 0));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    if (size < basic_header_size)
        return 0;
    HeaderBytes header;
    std::transform(data, data + header.size(), header.begin(), [](std::uint8_t b) { return std::byte{b}; });
    const HeaderView view(header);
    const int taken =
        takers<NopOut, ScsiCommand, TaskManagementRequest, LoginRequest, TextRequest, DataOut, LogoutRequest,
               SnackRequest, NopIn, ScsiResponse, TaskManagementResponse, LoginResponse, TextResponse, DataIn,
               LogoutResponse, R2t, AsyncMessage, Reject>(view);
    const bool to_target = plausible_header(view, PduDirection::to_target);
    const bool to_initiator = plausible_header(view, PduDirection::to_initiator);
    if (taken > 1 || (to_target && to_initiator) || ((to_target || to_initiator) && taken == 0))
        std::abort();

    const auto *rest = reinterpret_cast<const std::byte *>(data + header.size());
    const std::vector<std::byte> area(rest, rest + (size - header.size()));
    if (const auto ahs = AdditionalHeaders::parse(area); ahs && ahs->extended_cdb.size() <= 244) {
        const auto written = ahs->encode();
        const auto again = AdditionalHeaders::parse(written);
        if (!again || !std::ranges::equal(again->extended_cdb, ahs->extended_cdb) ||
            again->bidirectional_read_length != ahs->bidirectional_read_length)
            std::abort();
    }
    return 0;
}
