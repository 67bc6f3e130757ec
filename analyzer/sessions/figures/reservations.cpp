// SPDX-License-Identifier: GPL-2.0-or-later
// Steps towards reservations: in words, and who holds the reservation after them.
#include "analyzer/sessions/figures/path_figures.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>

namespace iscsiscope {
namespace {

std::string hex_key(std::uint64_t key) {
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(key));
    return text.data();
}

std::string type_words(std::uint8_t type) {
    const std::string_view name = reservation_type_name(type);
    return name.empty() ? std::string() : ", " + std::string(name);
}

} // namespace

std::string step_words(const ReservationStep &s) {
    const std::string who = s.host + " ";
    if (s.plain_reserve || s.plain_release)
        return who + (s.plain_reserve ? "reserves (RESERVE)" : "releases (RELEASE)") +
               (s.failed ? ", which failed" : "");
    if (s.action) {
        std::string text = who + std::string(words(*s.action));
        const bool registers =
            *s.action == ReserveOut::registers || *s.action == ReserveOut::register_and_ignore;
        if (registers && s.new_key == 0)
            text = who + "takes its key back";
        else if (registers)
            text += " key " + hex_key(s.new_key);
        else if (*s.action == ReserveOut::preempt || *s.action == ReserveOut::preempt_and_abort)
            text += " the holder of key " + hex_key(s.new_key) + " with key " + hex_key(s.key);
        else
            text += " with key " + hex_key(s.key);
        if (*s.action == ReserveOut::reserve || *s.action == ReserveOut::preempt)
            text += type_words(s.type);
        return text + (s.failed ? ", which failed" : "");
    }
    const auto holder = std::ranges::find_if(s.registrants, &Registrant::holder);
    std::string text = who + "is answered: ";
    if (holder != s.registrants.end())
        return text + "the reservation has key " + hex_key(holder->key) +
               type_words(holder->type.value_or(0)) + (holder->name.empty() ? "" : ", of " + holder->name);
    if (s.names_holder)
        return text + "no host holds a reservation";
    return text + std::to_string(s.registrants.size()) +
           (s.registrants.size() == 1 ? " key is registered" : " keys are registered");
}

std::optional<ReservationHolder> UnitReservations::holder(Time when) const {
    std::optional<ReservationHolder> now;
    std::map<std::string, std::uint64_t> keys; // registered, by host
    const auto host_of = [&](std::uint64_t key) {
        std::string found;
        for (const auto &[host, k] : keys)
            if (k == key)
                found = found.empty() ? host : std::string(); // of several hosts none is certain
        return found;
    };
    for (const ReservationStep &s : steps) {
        if (s.time > when)
            break;
        if (s.failed)
            continue;
        if (s.plain_reserve)
            now = ReservationHolder{s.host, std::nullopt, std::nullopt, s.frame, false};
        else if (s.plain_release && now && now->host == s.host)
            now.reset();
        if (s.answer) {
            for (const Registrant &r : s.registrants)
                if (!r.name.empty())
                    keys[r.name] = r.key;
            if (!s.names_holder)
                continue;
            const auto r = std::ranges::find_if(s.registrants, &Registrant::holder);
            if (r == s.registrants.end())
                now.reset();
            else if (!now || now->key != r->key)
                now = ReservationHolder{r->name.empty() ? host_of(r->key) : r->name, r->key, r->type, s.frame,
                                        true};
        }
        if (!s.action)
            continue;
        switch (*s.action) {
        case ReserveOut::registers:
        case ReserveOut::register_and_ignore:
            if (s.new_key != 0) {
                keys[s.host] = s.new_key;
                break;
            }
            keys.erase(s.host);
            if (now && now->host == s.host)
                now.reset();
            break;
        case ReserveOut::reserve:
            now = ReservationHolder{s.host, s.key, s.type, s.frame, false};
            keys[s.host] = s.key;
            break;
        case ReserveOut::release:
            if (now && now->host == s.host)
                now.reset();
            break;
        case ReserveOut::clear:
            now.reset();
            keys.clear();
            break;
        case ReserveOut::preempt:
        case ReserveOut::preempt_and_abort:
            std::erase_if(keys, [&](const auto &k) { return k.second == s.new_key && k.first != s.host; });
            if (now && (now->key == s.new_key || s.new_key == 0))
                now = ReservationHolder{s.host, s.key, s.type, s.frame, false};
            break;
        case ReserveOut::register_and_move:
            now = ReservationHolder{{}, s.new_key, now ? now->type : std::nullopt, s.frame, false};
            break;
        }
    }
    return now;
}

} // namespace iscsiscope
