// SPDX-License-Identifier: GPL-2.0-or-later
// Rule duplicate_initiator: logins from several addresses with one InitiatorName and ISID, by which the
// target ends the session of the other host each time (RFC 7143 sections 6.3.5 and 10.1).
#include "analyzer/findings/rules/rule_tools.h"

#include <algorithm>
#include <set>

namespace iscsiscope::rules {
namespace {

std::string isid_words(const Login &login) {
    std::string text;
    for (const std::uint8_t byte : login.isid) {
        constexpr char digits[] = "0123456789abcdef";
        text += {digits[byte >> 4], digits[byte & 15]};
    }
    return text;
}

std::string addresses(const std::vector<Eviction> &all) {
    constexpr std::size_t named = 4;
    std::set<IpAddress> hosts;
    for (const Eviction &e : all)
        hosts.insert({e.evicted->record.initiator.address, e.by->record.initiator.address});
    std::string text;
    std::size_t n = 0;
    for (const IpAddress &a : hosts) {
        if (n == named)
            return text + " and " + human::count(hosts.size() - named) + " more";
        text += (n == 0 ? "" : n + 1 == hosts.size() ? " and " : ", ") + to_text(a);
        ++n;
    }
    return text;
}

Verdict no_duplicate(const RuleContext &c, const std::vector<Eviction> &all) {
    if (!all.empty() &&
        all.front().by->record.initiator.address == all.front().evicted->record.initiator.address)
        return none("a login of " + to_text(all.front().by->record.initiator.address) +
                    " took over the session of the same address, not again and again");
    if (!all.empty())
        return none(to_text(all.front().by->record.initiator.address) + " took the session of " +
                    to_text(all.front().evicted->record.initiator.address) +
                    " over, and that address did not come back: a host that changed its address does so");
    const auto with_login = std::ranges::count_if(c.facts.connections, [](const ConnectionFacts &k) {
        return k.record.login && k.record.login->accepted;
    });
    return none("no login took over the session of another address: " +
                human::plural(static_cast<std::uint64_t>(with_login), "login", "logins") + " accepted");
}

} // namespace

Verdict duplicate_initiator(const RuleContext &c) {
    const std::vector<Eviction> &all = c.lost.stories().all_evictions();
    if (!c.lost.stories().hosts_evict_each_other())
        return no_duplicate(c, all);
    const Eviction &first = all.front();
    const Login &login = *first.by->record.login;
    std::uint64_t commands = 0;
    for (const Eviction &e : all)
        commands += e.evicted->lost_tasks.count;
    Finding f = begin_finding(FindingKind::duplicate_initiator, c);
    f.stream = first.by->record.stream;
    const bool one_host =
        all.front().by->record.initiator.address == all.front().evicted->record.initiator.address;
    if (one_host)
        f.title = "Two sessions log in as one and throw each other out";
    f.sentence = (one_host ? "Several logins of " : "") + addresses(all) + " use one " +
                 (login.initiator_name.empty() ? "ISID (" + isid_words(login) + "; names are cut off)"
                                               : "initiator name (" + login.initiator_name + ") and ISID (" +
                                                     isid_words(login) + ")") +
                 " at " + end_with_address(first.by, true) +
                 ". It ends one session when the other logs in: " + human::count(all.size()) + " times";
    const Duration span = all.back().by->record.login->start - login.start;
    if (span > Duration{})
        f.sentence += " within " + human::duration(span);
    f.sentence += commands > 0 ? ", with " + human::plural(commands, "command", "commands") + " open." : ".";
    f.sentence += lost_total(f, c.lost.to(FindingKind::duplicate_initiator));
    for (std::size_t i = 0; i < std::min<std::size_t>(all.size(), 2); ++i) {
        add_evidence(f, all[i].by->record.login->first_frame, "a login by the same name and ISID");
        add_evidence(f, all[i].end.frame, "the end of the other host's connection");
    }
    add_figure(f, "evictions", static_cast<double>(all.size()));
    add_figure(f, "commands_lost", static_cast<double>(commands));
    f.remedy =
        "Give each host an initiator name of its own: a cloned machine keeps that of its template (Linux: "
        "iscsi-iname makes one for /etc/iscsi/initiatorname.iscsi; ESXi: esxcli iscsi adapter set -n). "
        "Until then only one of them may use the LUNs.";
    return {std::move(f), {}};
}

} // namespace iscsiscope::rules
