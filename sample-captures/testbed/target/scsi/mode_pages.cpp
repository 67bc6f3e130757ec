// SPDX-License-Identifier: GPL-2.0-or-later
// MODE SENSE and MODE SELECT, 6 and 10 (SPC-4 sections 6.11 and 7.5).
#include "sample-captures/testbed/target/scsi/commands.h"

#include "analyzer/iscsi/codec/wire.h"

#include <algorithm>

namespace iscsiscope::testbed {
namespace {

using Bytes = std::vector<std::byte>;

enum class PageControl : std::uint8_t { current, changeable, defaults, saved };

struct Page {
    std::uint8_t code;
    std::uint8_t length; // bytes behind the two of its header
};
constexpr std::array pages{Page{0x01, 10}, Page{0x02, 14}, Page{0x08, 18}, Page{0x0a, 10}, Page{0x1c, 10}};

constexpr std::uint8_t wce = 0x04, d_sense = 0x04, swp = 0x08;

Bytes page_bytes(const Page &page, const ModeSettings &mode, PageControl control) {
    Bytes out(std::size_t{2} + page.length);
    wire::store8(&out[0], page.code);
    wire::store8(&out[1], page.length);
    const bool changeable = control == PageControl::changeable;
    const ModeSettings shown = control == PageControl::current ? mode : ModeSettings{};
    switch (page.code) {
    case 0x08:
        wire::store8(&out[2], changeable || shown.write_cache ? wce : 0);
        break;
    case 0x0a:
        wire::store8(&out[2], changeable || shown.descriptor_sense ? d_sense : 0);
        // Queue algorithm modifier 1: commands may be reordered.
        wire::store8(&out[3], changeable ? 0 : 0x10);
        wire::store8(&out[4], changeable || shown.software_write_protect ? swp : 0);
        break;
    default:
        break;
    }
    return out;
}

void append_descriptor(const Disk &disk, bool long_form, Bytes &out) {
    const std::size_t at = out.size();
    if (long_form) {
        out.resize(at + 16);
        wire::store64(&out[at], disk.blocks());
        wire::store32(&out[at + 12], disk.block_size());
        return;
    }
    out.resize(at + 8);
    wire::store32(&out[at], static_cast<std::uint32_t>(std::min<std::uint64_t>(disk.blocks(), 0xffffffff)));
    wire::store24(&out[at + 5], disk.block_size());
}

// Takes one page; false where it names a value that may not be changed or has a wrong length.
bool take_page(std::span<const std::byte> bytes, ModeSettings &mode) {
    const std::uint8_t code = wire::load8(&bytes[0]) & 0x3f;
    const auto page = std::find_if(pages.begin(), pages.end(), [&](const Page &p) { return p.code == code; });
    if (page == pages.end() || bytes.size() != std::size_t{2} + page->length ||
        wire::load8(&bytes[1]) != page->length)
        return false;
    const Bytes may = page_bytes(*page, mode, PageControl::changeable);
    const Bytes now = page_bytes(*page, mode, PageControl::current);
    for (std::size_t i = 2; i < bytes.size(); ++i)
        if (((bytes[i] ^ now[i]) & ~may[i]) != std::byte{0})
            return false;
    if (code == 0x08)
        mode.write_cache = (wire::load8(&bytes[2]) & wce) != 0;
    if (code == 0x0a) {
        mode.descriptor_sense = (wire::load8(&bytes[2]) & d_sense) != 0;
        mode.software_write_protect = (wire::load8(&bytes[4]) & swp) != 0;
    }
    return true;
}

} // namespace

ScsiResult mode_sense(Disk &disk, const ScsiRequest &r) {
    const bool ten = wire::load8(&r.cdb[0]) == 0x5a;
    const bool no_descriptors = (wire::load8(&r.cdb[1]) & 0x08) != 0;
    const bool long_lba = ten && (wire::load8(&r.cdb[1]) & 0x10) != 0;
    const auto control = static_cast<PageControl>(wire::load8(&r.cdb[2]) >> 6);
    const std::uint8_t code = wire::load8(&r.cdb[2]) & 0x3f;
    const std::uint8_t subpage = wire::load8(&r.cdb[3]);
    const std::uint64_t allocation = ten ? wire::load16(&r.cdb[7]) : wire::load8(&r.cdb[4]);
    if (control == PageControl::saved)
        return ScsiResult::check({0x5, 0x39, 0x00}); // saving parameters not supported
    if (subpage != 0 && subpage != 0xff)
        return ScsiResult::check(sense::invalid_field_in_cdb);

    const std::size_t header = ten ? 8 : 4;
    Bytes out(header);
    if (!no_descriptors)
        append_descriptor(disk, long_lba, out);
    const std::size_t descriptors = out.size() - header;
    bool any = false;
    for (const Page &page : pages) {
        if (code != 0x3f && code != page.code)
            continue;
        any = true;
        const Bytes bytes = page_bytes(page, disk.mode(), control);
        out.insert(out.end(), bytes.begin(), bytes.end());
    }
    if (!any && code != 0x3f)
        return ScsiResult::check(sense::invalid_field_in_cdb);

    const bool protect = disk.read_only() || disk.mode().software_write_protect;
    const auto device_specific = static_cast<std::uint8_t>((protect ? 0x80 : 0) | 0x10); // WP, DPOFUA
    if (ten) {
        wire::store16(&out[0], static_cast<std::uint16_t>(out.size() - 2));
        wire::store8(&out[3], device_specific);
        wire::store8(&out[4], long_lba && descriptors != 0 ? 1 : 0);
        wire::store16(&out[6], static_cast<std::uint16_t>(descriptors));
    } else {
        wire::store8(&out[0], static_cast<std::uint8_t>(out.size() - 1));
        wire::store8(&out[2], device_specific);
        wire::store8(&out[3], static_cast<std::uint8_t>(descriptors));
    }
    return reply(out, allocation);
}

ScsiResult mode_select(Disk &disk, const ScsiRequest &r) {
    const bool ten = wire::load8(&r.cdb[0]) == 0x55;
    const std::uint8_t flags = wire::load8(&r.cdb[1]);
    if ((flags & 0x10) == 0 || (flags & 0x01) != 0) // PF must be set; pages are not saved
        return ScsiResult::check(sense::invalid_field_in_cdb);
    std::span<const std::byte> list = r.data_out;
    if (list.empty())
        return {};
    const std::size_t header = ten ? 8 : 4;
    if (list.size() < header)
        return ScsiResult::check(sense::parameter_list_length);
    const std::size_t descriptors = ten ? wire::load16(&list[6]) : wire::load8(&list[3]);
    if (list.size() < header + descriptors)
        return ScsiResult::check(sense::parameter_list_length);
    list = list.subspan(header + descriptors);
    ModeSettings mode = disk.mode();
    while (!list.empty()) {
        if (list.size() < 2 || list.size() < std::size_t{2} + wire::load8(&list[1]))
            return ScsiResult::check(sense::parameter_list_length);
        const std::size_t length = std::size_t{2} + wire::load8(&list[1]);
        if (!take_page(list.first(length), mode))
            return ScsiResult::check(sense::invalid_parameter);
        list = list.subspan(length);
    }
    disk.mode() = mode;
    disk.add_unit_attention_to_others(r.nexus, sense::mode_parameters_changed);
    return {};
}

} // namespace iscsiscope::testbed
