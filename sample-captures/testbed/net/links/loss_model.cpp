// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/net/links/loss_model.h"

#include <utility>

namespace iscsiscope::testbed::shim {

LossModel::LossModel(LossConfig config, std::uint64_t seed, std::uint32_t link)
    : config_(std::move(config)), random_(seed, link, 1), burst_(seed, link, 2) {}

bool LossModel::burst_loses() {
    const GilbertElliott &model = *config_.burst;
    bad_ = bad_ ? !burst_.happens(model.to_good) : burst_.happens(model.to_bad);
    return burst_.happens(bad_ ? model.loss_in_bad : model.loss_in_good);
}

LossCause LossModel::next(bool has_payload) {
    // Every model is stepped for every packet, so that one does not shift another's decisions.
    const bool random = config_.random > 0.0 && random_.happens(config_.random);
    const bool burst = config_.burst && burst_loses();
    bool nth = false;
    bool listed = false;
    if (has_payload || !config_.count_data_only) {
        ++counted_;
        nth = config_.every_nth > 0 && counted_ % config_.every_nth == 0;
        while (next_listed_ < config_.listed.size() && config_.listed[next_listed_] < counted_)
            ++next_listed_;
        listed = next_listed_ < config_.listed.size() && config_.listed[next_listed_] == counted_;
    }
    if (listed)
        return LossCause::listed;
    if (nth)
        return LossCause::every_nth;
    if (burst)
        return LossCause::burst;
    return random ? LossCause::random : LossCause::none;
}

} // namespace iscsiscope::testbed::shim
