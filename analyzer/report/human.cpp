// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/human.h"

#include "analyzer/iscsi/scsi/lun.h"
#include "analyzer/query/cell.h"

#include <chrono>
#include <fmt/format.h>

namespace iscsiscope::human {

std::string instant(Time t) {
    using namespace std::chrono;
    const auto day = floor<days>(t.time_since_epoch());
    const year_month_day date{sys_days{day}};
    const hh_mm_ss clock{floor<microseconds>(t.time_since_epoch() - day)};
    return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:06} UTC", static_cast<int>(date.year()),
                       static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                       clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
                       clock.subseconds().count());
}

std::string endpoint(const Endpoint &e) {
    Scratch s;
    const std::string_view address = address_cell(e.address, s);
    return e.address.is_v4() ? fmt::format("{}:{}", address, e.port)
                             : fmt::format("[{}]:{}", address, e.port);
}

std::string lun(std::uint64_t v) {
    return to_string(Lun{v});
}

std::string name(const std::string &raw) {
    std::string s;
    for (const char c : raw) {
        const auto u = static_cast<unsigned char>(c);
        s += u < 0x20 || u >= 0x7f ? '?' : c; // iSCSI names are ASCII as a rule (RFC 7143 section 4.2.7)
    }
    return s;
}

std::string path(std::string_view raw) {
    std::string s(raw);
    for (char &c : s) {
        const auto u = static_cast<unsigned char>(c);
        c = u < 0x20 || u == 0x7f ? '?' : c;
    }
    return s;
}

} // namespace iscsiscope::human
