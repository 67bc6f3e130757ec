// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/pipeline/batch/record_delivery.h"

#include <utility>

namespace iscsiscope {

RecordDelivery::RecordDelivery(RecordTables records, const std::vector<std::uint16_t> &ports)
    : records_(std::move(records)), attempts_(ports, [this](const AttemptRecord &r) { records_.put(r); }),
      wanted_(records_.with(attempts_).with(numbers_)) {}

void RecordDelivery::deliver(Batch &batch) {
    auto anomaly = batch.anomalies.begin();
    for (std::uint32_t w = 0; w < batch.works.size(); ++w) {
        for (; anomaly != batch.anomalies.end() && anomaly->before <= w; ++anomaly)
            records_.put(anomaly->anomaly);
        const Work &work = batch.works[w];
        if (work.segment != nullptr)
            attempts_.at(work.segment->time);
        work.records->deliver(w, wanted_, [this](auto &record) { numbers_.translate(record); });
    }
    for (; anomaly != batch.anomalies.end(); ++anomaly)
        records_.put(anomaly->anomaly);
    numbers_.forget_before(batch.oldest_cycle);
}

} // namespace iscsiscope
