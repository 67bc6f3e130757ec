// SPDX-License-Identifier: GPL-2.0-or-later
// Encapsulation: the tags and tunnels around a frame's innermost packet, and how many frames of the
// capture came in which.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace iscsiscope {

enum class EncapsulationKind : std::uint8_t {
    vlan,   // also provider tags (802.1ad); id: the VLAN
    vn_tag, // of Cisco's fabric extenders; id: the virtual interface that the frame goes to
    e_tag,  // IEEE 802.1BR; id: the channel (E-CID)
    gre,
    erspan_1, // a mirror's copies; id of II and III: the session
    erspan_2,
    erspan_3,
    ip_in_ip, // both of the same version
    six_in_four,
    four_in_six,
    vxlan, // id: the network, of the next two as well
    vxlan_gpe,
    geneve,
    nsh, // RFC 8300; id: the service path
    mpls,
    pseudowire, // Ethernet over MPLS
    pppoe,
};

struct EncapsulationLayer {
    EncapsulationKind kind{};
    std::uint32_t id = 0; // 0 for kinds without one

    friend auto operator<=>(const EncapsulationLayer &, const EncapsulationLayer &) = default;
};

// The layers of one frame, outermost first. Those beyond the eighth are not kept.
class EncapsulationPath {
public:
    void clear() { size_ = 0; }
    bool empty() const { return size_ == 0; }
    void add(EncapsulationKind kind, std::uint32_t id = 0) {
        if (size_ < layers_.size())
            layers_[size_++] = {kind, id};
    }
    std::span<const EncapsulationLayer> layers() const { return {layers_.data(), size_}; }

    friend bool operator==(const EncapsulationPath &, const EncapsulationPath &);
    friend bool operator<(const EncapsulationPath &, const EncapsulationPath &);

private:
    std::array<EncapsulationLayer, 8> layers_{};
    std::uint8_t size_ = 0;
};

// "VLAN 100 > VXLAN 42".
std::string to_text(const EncapsulationPath &);

struct EncapsulationCount {
    std::string path; // as to_text(); empty: of all that had no place in the tally
    std::uint64_t packets = 0;
};

// Counts frames by path, in bounded memory.
class EncapsulationTally {
public:
    static constexpr std::size_t max_paths = 256;

    // The path is not empty.
    void add(const EncapsulationPath &);
    // The most frequent first; what came after max_paths others last, under an empty path.
    std::vector<EncapsulationCount> counts() const;

private:
    using Counts = std::map<EncapsulationPath, std::uint64_t>;
    Counts counts_;
    Counts::value_type *last_ = nullptr; // frames of one path come in long runs
    std::uint64_t others_ = 0;
};

} // namespace iscsiscope
