// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/query/tcp_rows.h"

namespace iscsiscope {

void TcpRows::on_tcp_sample(const Connection &c, PduDirection direction, const TcpSample &s) {
    if (selection_.range != nullptr && !selection_.range->everything() && !selection_.range->contains(s.time))
        return;
    const TcpRow row{c, s, direction};
    if (selection_.filter == nullptr || selection_.filter->holds(&row))
        target_.row(&row);
}

} // namespace iscsiscope
