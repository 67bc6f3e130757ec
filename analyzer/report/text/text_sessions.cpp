// SPDX-License-Identifier: GPL-2.0-or-later
// Sessions with their connections, negotiated keys and LUNs.
#include "analyzer/base/number_format.h"
#include "analyzer/base/text/utf8.h"
#include "analyzer/figures/shares.h"
#include "analyzer/iscsi/scsi/lun.h"
#include "analyzer/report/text/text_sections.h"
#include "analyzer/words/capture/capture_words.h"
#include "analyzer/words/capture/range_words.h"
#include "analyzer/words/kind_words.h"
#include "analyzer/words/protocol_words.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace iscsiscope {
namespace {

constexpr std::size_t sessions_shown = 20, connections_shown = 16, luns_shown = 32;

std::string or_unknown(const std::string &s, const char *what) {
    return s.empty() ? what : human::name(s);
}

std::string round_trip(const ConnectionRecord &c) {
    if (!c.rtt_to_initiator && !c.rtt_to_target)
        return "round trip not measurable here";
    std::string s;
    if (c.rtt_to_initiator && c.rtt_to_target) {
        s = fmt::format("round trip {} = {} to the initiator + {} to the target",
                        human::duration(*c.rtt_to_initiator + *c.rtt_to_target),
                        human::duration(*c.rtt_to_initiator), human::duration(*c.rtt_to_target));
    } else {
        s = fmt::format("round trip to the {} {}", c.rtt_to_target ? "target" : "initiator",
                        human::duration(c.rtt_to_target ? *c.rtt_to_target : *c.rtt_to_initiator));
    }
    if (c.capture_position)
        s += ": captured " + position_words(*c.capture_position);
    return s;
}

void connection(Page &page, const Report &r, const ConnectionRecord &c) {
    page.item(fmt::format("Connection {}", c.stream),
              fmt::format("{} → {}{}; {}; {}", to_text(c.initiator), to_text(c.target),
                          c.cid ? fmt::format(", CID {}", *c.cid) : "", human::duration(c.end - c.start),
                          explanation(c.outcome)));
    std::string text =
        fmt::format("{} to the target, {} to the initiator{}; {}", human::bytes(c.bytes_to_target),
                    human::bytes(c.bytes_to_initiator), r.filter.empty() ? "" : " with all commands",
                    human::plural(c.tasks, "task", "tasks"));
    if (const auto busy = c.busy())
        text += fmt::format("; busy {}{}{}", c.busy_at_least ? "at least " : "", human::duration(*busy),
                            r.filter.empty() ? fmt::format(" of {} active life", human::duration(*c.active()))
                                             : " with them");
    if (c.active_start)
        text += fmt::format("; no packet passed for {} of it", human::share(idle_ratio(c).value_or(0)));
    page.item("", text);
    page.item("", round_trip(c));
    const std::uint64_t again = c.repeated_to_initiator + c.repeated_to_target;
    if (again != 0) {
        page.item("",
                  fmt::format("sent again: {} of {} segments to the target, {} of {} to the initiator",
                              human::count(c.repeated_to_target), human::count(c.segments_to_target),
                              human::count(c.repeated_to_initiator), human::count(c.segments_to_initiator)),
                  Tone::notice);
    }
    if (c.unseen_to_initiator + c.unseen_to_target != 0) {
        page.item("",
                  fmt::format("not in the capture: {} to the target, {} to the initiator",
                              human::bytes(c.unseen_to_target), human::bytes(c.unseen_to_initiator)),
                  Tone::bad);
    }
}

// The key tables shown so far, by their rows: each with the first session that has it.
using KeyTables = std::map<std::vector<std::vector<std::string>>, SessionId>;

void keys(Page &page, const Login &login, SessionId session, KeyTables &shown_tables) {
    page.item("Login",
              fmt::format("{}{}; authentication {}",
                          login.end > login.start ? human::duration(login.end - login.start) + " in "
                                                  : std::string("of unknown length, "),
                          human::plural(login.round_trips, "round trip", "round trips"),
                          or_unknown(login.authentication, login.whole ? "not asked for" : "not known")));
    if (!login.whole) {
        page.item(
            "", "bytes of its text are missing: what was negotiated is not known beyond what is listed here",
            Tone::notice);
    }
    TextTable table({"<negotiated key", "<initiator", "<target", "<in force", "<because"});
    for (const NegotiatedKey &k : login.keys.keys) {
        std::string why;
        switch (k.origin) {
        case ValueOrigin::default_value:
            why = "default";
            break;
        case ValueOrigin::negotiated:
            why = "agreed";
            break;
        case ValueOrigin::derived:
            why = "answer left out, rule applied";
            break;
        case ValueOrigin::declared:
            why = "each its own";
            break;
        case ValueOrigin::unknown:
            why = "the text that states it is missing";
            break;
        }
        // Names and addresses are shown above. Defaults that no end mentioned are omitted.
        const KeyRule *rule = find_rule(k.key);
        const bool matters =
            rule != nullptr && (rule->numerical || rule->function == ResultFunction::boolean_or ||
                                rule->function == ResultFunction::boolean_and);
        if (!k.initiator && !k.target && (!matters || !login.whole))
            continue;
        if (k.key == "InitiatorName" || k.key == "TargetName" || k.key.starts_with("CHAP_"))
            continue;
        const auto shown = [](const std::optional<std::string> &v) {
            const std::string s = v ? human::name(*v) : "-";
            return s.size() > 24 ? std::string(utf8_prefix(s, 21)) + "..." : s;
        };
        const auto in_force = [&](const std::string &v) { return v.empty() ? "not known" : shown(v); };
        const bool each = parameter_of(Party::initiator, k.key) == Parameter::max_recv_initiator;
        const bool alike = k.in_force == k.in_force_target;
        const bool unknown = k.origin == ValueOrigin::unknown;
        table.row({human::name(k.key, 32), shown(k.initiator), shown(k.target),
                   each && !alike ? "Data-In " + in_force(k.in_force)
                   : unknown      ? "not known"
                                  : shown(k.in_force),
                   why});
        if (each && !alike)
            table.row({"", "", "", "Data-Out " + in_force(k.in_force_target), ""});
    }
    if (table.empty())
        return;
    if (const auto [same, fresh] = shown_tables.emplace(table.rows(), session); !fresh)
        page.item("", fmt::format("the keys are those of session {}", same->second), Tone::dim);
    else
        page.table(table, 4);
}

std::string capacity(const LunRecord &f) {
    if (!f.blocks || !f.block_length)
        return "";
    return fmt::format("{}, {}-byte blocks", human::bytes(*f.blocks * *f.block_length), *f.block_length);
}

void luns(Page &page, const Report &r, SessionId session) {
    TextTable table(
        {"<LUN", "<device", ">reads", ">p50", ">p99", ">writes", ">p50", ">p99", ">other", ">not good"});
    std::vector<std::string> serials;
    std::size_t shown = 0, more = 0;
    for (auto at = r.luns.lower_bound({session, 0}); at != r.luns.end() && at->first.first == session; ++at) {
        if (++shown > luns_shown) {
            ++more;
            continue;
        }
        const LunTally &l = at->second;
        const auto facts = r.lun_facts.find(at->first);
        std::string device = "-";
        if (facts != r.lun_facts.end()) {
            const LunRecord &f = facts->second;
            device = fmt::format("{} {} {}", device_words(f.device_type), human::name(f.vendor),
                                 human::name(f.product));
            device = device.substr(std::min(device.find_first_not_of(' '), device.size()));
            const std::string size = capacity(f);
            device = device.empty() ? "-" : device;
            std::string more_words = size;
            if (!f.designator.empty())
                more_words += (more_words.empty() ? "" : "; ") + human::name(f.designator);
            if (!f.serial.empty())
                more_words += (more_words.empty() ? "" : "; ") + ("serial " + human::name(f.serial));
            if (!more_words.empty())
                serials.push_back(fmt::format("LUN {}: {}", to_string(Lun{l.lun}), more_words));
        }
        const auto &reads = l.parts[0], &writes = l.parts[1], &control = l.parts[2];
        const auto number = [](std::uint64_t n) { return n == 0 ? std::string("-") : human::count(n); };
        table.row({to_string(Lun{l.lun}), device, number(reads.count),
                   human::duration(reads.response_time.quantile(0.5)),
                   human::duration(reads.response_time.quantile(0.99)), number(writes.count),
                   human::duration(writes.response_time.quantile(0.5)),
                   human::duration(writes.response_time.quantile(0.99)), number(control.count),
                   number(l.not_good())});
    }
    if (!table.empty())
        page.table(table, 4);
    for (const std::string &s : serials)
        page.line(s, 4, Tone::dim);
    if (more != 0)
        page.line(fmt::format("... and {} more LUNs (the JSON report has them)", more), 4);
}

void session(Page &page, const Report &r, const SessionRecord &s, KeyTables &shown_tables) {
    const bool discovery = s.session_type == "Discovery";
    page.heading(fmt::format("SESSION {}", s.session),
                 fmt::format("{} → {}", or_unknown(s.initiator_name, "initiator unknown"),
                             discovery ? "discovery" : or_unknown(s.target_name, "target unknown")));
    if (s.from_login) {
        std::string isid;
        for (const std::uint8_t b : s.isid)
            isid += fmt::format("{:02x}", b);
        page.item(
            "Identity",
            fmt::format("ISID {}, TSIH {}{}{}", isid, s.tsih,
                        s.target_portal_group.empty()
                            ? ""
                            : fmt::format(", portal group {}", human::name(s.target_portal_group)),
                        s.reinstates ? fmt::format("; takes the place of session {}", *s.reinstates) : ""));
    } else {
        page.item("Identity",
                  "its login is not in the capture: taken as one connection alone, names and keys unknown",
                  Tone::notice);
    }
    if (const auto down = r.downtimes.find(s.session);
        down != r.downtimes.end() && down->second.length > Duration{}) {
        const std::uint64_t tasks = down->second.tasks;
        page.item("Downtime",
                  fmt::format("{} without a connection until the next login; {} open when it was lost",
                              human::duration(down->second.length),
                              tasks == 0   ? "no task was"
                              : tasks == 1 ? "1 task was"
                                           : human::count(tasks) + " tasks were"),
                  Tone::notice);
    }
    std::size_t shown = 0, more = 0;
    const Login *login = nullptr;
    for (const ConnectionRecord &c : r.connections) {
        if (c.session != s.session)
            continue;
        if (c.login && c.login->accepted && login == nullptr)
            login = &*c.login;
        if (++shown > connections_shown) {
            ++more;
            continue;
        }
        connection(page, r, c);
    }
    if (more != 0)
        page.item("", fmt::format("... and {} more connections; `iscsiscope connections` lists them", more));
    if (login != nullptr)
        keys(page, *login, s.session, shown_tables);
    luns(page, r, s.session);
}

// The keys that shape reads and writes, as in force: "ImmediateData=Yes, InitialR2T=No, ...". Of the others
// those that are not as usual: one connection, no digest, no error recovery.
std::string keys_words(const Login &login) {
    constexpr std::pair<std::string_view, std::string_view> shown[] = {
        {"InitialR2T", ""},         {"ImmediateData", ""},     {"FirstBurstLength", ""},
        {"MaxBurstLength", ""},     {"MaxOutstandingR2T", ""}, {"MaxRecvDataSegmentLength", ""},
        {"MaxConnections", "1"},    {"HeaderDigest", "None"},  {"DataDigest", "None"},
        {"ErrorRecoveryLevel", "0"}};
    std::string s;
    for (const auto &[key, usual] : shown) {
        for (const NegotiatedKey &k : login.keys.keys) {
            if (k.key != key || k.origin == ValueOrigin::unknown || k.in_force.empty() || k.in_force == usual)
                continue;
            s += fmt::format("{}{}={}", s.empty() ? "" : ", ", key, human::name(k.in_force, 24));
            if (!k.in_force_target.empty() && k.in_force_target != k.in_force)
                s += fmt::format(" (target {})", human::name(k.in_force_target, 24));
        }
    }
    return s;
}

// "0, 2, 5-9": the numbers in ascending order.
std::string numbers_words(const std::vector<SessionId> &numbers) {
    std::string s;
    for (std::size_t i = 0; i < numbers.size();) {
        std::size_t end = i + 1;
        while (end < numbers.size() && numbers[end].number == numbers[end - 1].number + 1)
            ++end;
        s += fmt::format("{}{}", s.empty() ? "" : ", ", numbers[i]);
        if (end - i > 1)
            s += fmt::format("{}{}", end - i == 2 ? ", " : "–", numbers[end - 1]);
        i = end;
    }
    return s;
}

void connections_table(Page &page, const Report &r, std::size_t shown) {
    const bool several = r.sessions.size() > 1;
    const bool ends = std::any_of(r.connections.begin(), r.connections.end(), [](const ConnectionRecord &c) {
        return c.outcome != ConnectionOutcome::logged_out && c.outcome != ConnectionOutcome::open;
    });
    std::vector<std::string> headings = {">stream"};
    if (several)
        headings.emplace_back(">session");
    headings.insert(headings.end(), {"<initiator → target", ">RTT", ">commands"});
    if (ends)
        headings.emplace_back("<end");
    TextTable table(headings);
    for (const ConnectionRecord &c : r.connections) {
        if (table.rows().size() == shown)
            break;
        std::optional<Duration> rtt;
        if (c.rtt_to_initiator && c.rtt_to_target)
            rtt = *c.rtt_to_initiator + *c.rtt_to_target;
        std::vector<std::string> row = {to_string(c.stream)};
        if (several)
            row.push_back(to_string(c.session));
        row.push_back(fmt::format("{} → {}", to_text(c.initiator), to_text(c.target)));
        row.push_back(rtt ? human::duration(*rtt) : "-");
        row.push_back(human::count(c.tasks));
        if (ends)
            row.push_back(words(c.outcome));
        table.row(std::move(row));
    }
    page.table(table);
    if (r.connections.size() > shown)
        page.line(fmt::format("and {} more: --all", r.connections.size() - shown), 2, Tone::dim);
}

void luns_table(Page &page, const Report &r, std::size_t shown) {
    if (r.luns.size() < 2)
        return;
    TextTable table({"<LUN", ">session", ">reads", ">p50", ">p99", ">writes", ">p50", ">p99", ">not good"});
    std::vector<const LunTally *> busiest;
    for (const auto &[key, lun] : r.luns)
        if (lun.parts[0].count + lun.parts[1].count != 0)
            busiest.push_back(&lun);
    std::stable_sort(busiest.begin(), busiest.end(), [](const LunTally *a, const LunTally *b) {
        return a->parts[0].count + a->parts[1].count > b->parts[0].count + b->parts[1].count;
    });
    for (const LunTally *l : busiest) {
        if (table.rows().size() == shown)
            break;
        const auto number = [](std::uint64_t n) { return n == 0 ? std::string("-") : human::count(n); };
        std::vector<std::string> row = {to_string(Lun{l->lun}), to_string(l->session)};
        for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
            row.push_back(number(l->parts[i].count));
            row.push_back(human::duration(l->parts[i].response_time.quantile(0.5)));
            row.push_back(human::duration(l->parts[i].response_time.quantile(0.99)));
        }
        row.push_back(number(l->not_good()));
        table.row(std::move(row));
    }
    if (table.rows().size() < 2)
        return;
    page.blank();
    page.table(table);
    if (busiest.size() > shown)
        page.line(fmt::format("and {} more: --all", busiest.size() - shown), 2, Tone::dim);
}

} // namespace

void sessions_overview(Page &page, const Report &r) {
    constexpr std::size_t rows_shown = 8, names_shown = 3;
    page.heading("SESSIONS", r.filter.empty() ? "" : of_all_commands(r, "names, round trips and keys"));
    std::map<std::pair<std::string, std::string>, std::vector<SessionId>> names;
    for (const auto &[id, s] : r.sessions)
        names[{or_unknown(s.initiator_name, "initiator unknown"),
               s.session_type == "Discovery" ? "discovery" : or_unknown(s.target_name, "target unknown")}]
            .push_back(id);
    std::size_t shown = 0;
    for (const auto &[ends, ids] : names) {
        if (++shown > names_shown)
            break;
        page.item(fmt::format("{} {}", ids.size() == 1 ? "Session" : "Sessions", numbers_words(ids)),
                  fmt::format("{} → {}", ends.first, ends.second));
    }
    if (names.size() > names_shown)
        page.item("",
                  fmt::format("and {} of names: --all",
                              human::plural(names.size() - names_shown, "more pair", "more pairs")),
                  Tone::dim);
    connections_table(page, r, rows_shown);
    shown = 0;
    for (const auto &[id, down] : r.downtimes)
        if (down.length > Duration{} && ++shown <= names_shown)
            page.item("Downtime",
                      fmt::format("{} without a connection of session {} until the next login",
                                  human::duration(down.length), id),
                      Tone::notice);
    std::map<std::string, std::vector<SessionId>> keys_of;
    for (const ConnectionRecord &c : r.connections)
        if (c.login && c.login->accepted && r.sessions.contains(c.session) &&
            r.sessions.at(c.session).session_type != "Discovery")
            if (std::vector<SessionId> &ids = keys_of[keys_words(*c.login)];
                ids.empty() || ids.back() != c.session)
                ids.push_back(c.session);
    shown = 0;
    for (auto &[words, ids] : keys_of) {
        std::sort(ids.begin(), ids.end());
        if (words.empty() || ++shown > 2)
            continue;
        page.item("Keys in force",
                  keys_of.size() == 1 ? words : fmt::format("{} (session {})", words, numbers_words(ids)));
    }
    luns_table(page, r, rows_shown);
}

void sessions_section(Page &page, const Report &r) {
    std::size_t shown = 0;
    KeyTables shown_tables;
    for (const auto &[id, s] : r.sessions) {
        if (++shown > sessions_shown)
            break;
        session(page, r, s, shown_tables);
    }
    const std::uint64_t rest = r.sessions_left_out + (r.sessions.size() - std::min(shown, r.sessions.size()));
    if (shown > sessions_shown) {
        page.heading(fmt::format("... AND {} MORE SESSIONS", rest + 1));
        page.line("`iscsiscope connections` lists their connections.");
    }
}

} // namespace iscsiscope
