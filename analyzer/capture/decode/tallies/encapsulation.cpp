// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/capture/decode/tallies/encapsulation.h"

#include <algorithm>
#include <string_view>

namespace iscsiscope {
namespace {

// In the order of EncapsulationKind. A name that ends with a space has its number after it.
constexpr std::string_view layer_names[] = {"VLAN ",
                                            "VN-Tag ",
                                            "E-tag ",
                                            "GRE",
                                            "ERSPAN I",
                                            "ERSPAN II session ",
                                            "ERSPAN III session ",
                                            "IP in IP",
                                            "6in4",
                                            "4in6",
                                            "VXLAN ",
                                            "VXLAN-GPE ",
                                            "Geneve ",
                                            "NSH ",
                                            "MPLS",
                                            "MPLS pseudowire",
                                            "PPPoE"};

} // namespace

bool operator==(const EncapsulationPath &a, const EncapsulationPath &b) {
    return std::ranges::equal(a.layers(), b.layers());
}

bool operator<(const EncapsulationPath &a, const EncapsulationPath &b) {
    return std::ranges::lexicographical_compare(a.layers(), b.layers());
}

std::string to_text(const EncapsulationPath &path) {
    std::string text;
    for (const EncapsulationLayer &layer : path.layers()) {
        const std::string_view name = layer_names[static_cast<std::size_t>(layer.kind)];
        text += text.empty() ? "" : " > ";
        text += name;
        if (name.ends_with(' '))
            text += std::to_string(layer.id);
    }
    return text;
}

void EncapsulationTally::add(const EncapsulationPath &path) {
    if (last_ == nullptr || last_->first != path) {
        auto at = counts_.find(path);
        if (at == counts_.end()) {
            if (counts_.size() == max_paths) {
                ++others_;
                return;
            }
            at = counts_.emplace(path, 0).first;
        }
        last_ = &*at;
    }
    ++last_->second;
}

std::vector<EncapsulationCount> EncapsulationTally::counts() const {
    std::vector<EncapsulationCount> all;
    for (const auto &[path, packets] : counts_)
        all.push_back({to_text(path), packets});
    std::ranges::stable_sort(all, std::ranges::greater{}, &EncapsulationCount::packets);
    if (others_ != 0)
        all.push_back({"", others_});
    return all;
}

} // namespace iscsiscope
