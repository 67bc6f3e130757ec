// SPDX-License-Identifier: GPL-2.0-or-later
// Counts the digests of each connection, right and wrong, by the end that computed them.
#pragma once

#include "analyzer/base/containers/bounded.h"
#include "analyzer/cycles/records/record_sink.h"
#include "analyzer/sessions/figures/digest_figures.h"

#include <map>
#include <vector>

namespace iscsiscope {

class DigestTracker {
public:
    static constexpr std::size_t max_connections = 4096;

    void pdu(const PduRecord &);
    // Connections with a digest that could be checked, by number.
    std::vector<DigestFigures> take() const;

private:
    std::map<StreamId, DigestFigures> connections_;
    Latest<decltype(connections_)> last_;
};

} // namespace iscsiscope
