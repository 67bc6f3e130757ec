// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/pipeline/anonymizer.h"

#include "analyzer/iscsi/text/key_rules.h"
#include "analyzer/iscsi/text/standard_values.h"
#include "analyzer/pipeline/read_capture.h"

#include <fmt/format.h>

namespace iscsiscope {
namespace {

constexpr const char *hidden = "(hidden)";

void keep_standard(std::string &value, std::string_view key) {
    value = only_standard_value(key, value, hidden);
}

} // namespace

std::string Anonymizer::replace(Names &names, const std::string &name, const char *stem) {
    if (name.empty())
        return name;
    const std::lock_guard lock(mutex_);
    const auto [at, fresh] = names.try_emplace(name);
    if (fresh)
        at->second = fmt::format("{}{}", stem, names.size());
    return at->second;
}

IpAddress Anonymizer::address(const IpAddress &a) {
    const std::lock_guard lock(mutex_);
    const auto [at, fresh] = addresses_.try_emplace(a);
    if (fresh) {
        IpAddress &b = at->second;
        const std::size_t n = addresses_.size();
        if (a.is_v4()) {
            b.bytes[10] = b.bytes[11] = 0xff;
            b.bytes[12] = 198;
            b.bytes[13] = static_cast<std::uint8_t>(18 + (n >> 16 & 1));
        } else {
            b.bytes[0] = 0x20;
            b.bytes[1] = 0x01;
            b.bytes[2] = 0x0d;
            b.bytes[3] = 0xb8;
            b.bytes[13] = static_cast<std::uint8_t>(n >> 16);
        }
        b.bytes[14] = static_cast<std::uint8_t>(n >> 8);
        b.bytes[15] = static_cast<std::uint8_t>(n);
    }
    return at->second;
}

std::array<std::uint8_t, 6> Anonymizer::isid(const std::array<std::uint8_t, 6> &id) {
    const std::lock_guard lock(mutex_);
    const auto [at, fresh] = isids_.try_emplace(id);
    if (fresh) {
        const std::size_t n = isids_.size();
        at->second = {0x80, 0, 0, 0, static_cast<std::uint8_t>(n >> 8), static_cast<std::uint8_t>(n)};
    }
    return at->second;
}

void Anonymizer::apply(Login &l) {
    l.isid = isid(l.isid);
    l.initiator_name = initiator(l.initiator_name);
    l.target_name = target(l.target_name);
    keep_standard(l.session_type, "SessionType");
    keep_standard(l.target_portal_group, "TargetPortalGroupTag");
    keep_standard(l.authentication, "AuthMethod");
    if (l.chap) {
        ChapSeen chap = *l.chap;
        keep_standard(chap.methods, "AuthMethod");
        for (std::string *name : {&chap.initiator_name, &chap.target_name})
            *name = replace(others_, *name, "chap-name-");
        l.chap = std::make_shared<const ChapSeen>(std::move(chap));
    }
    if (!l.redirect.empty())
        l.redirect = hidden;
    std::vector<NegotiatedKey> keys;
    for (const NegotiatedKey &k : l.keys.keys) {
        NegotiatedKey copy = k;
        const auto mask = [&](std::string &value) {
            value = k.key == "InitiatorName" ? initiator(value)
                    : k.key == "TargetName"  ? target(value)
                                             : only_standard_value(k.key, value, hidden);
        };
        if (find_rule(k.key) == nullptr &&
            k.key != rdma_extensions) // the name of an unknown key may identify the site too
            copy.key = replace(others_, k.key, "X-key-");
        mask(copy.in_force);
        mask(copy.in_force_target);
        for (auto *value : {&copy.initiator, &copy.target})
            if (*value)
                mask(**value);
        keys.push_back(std::move(copy));
    }
    l.keys.keys = SharedKeys(std::move(keys));
}

void Anonymizer::apply(std::shared_ptr<const Login> &l) {
    auto masked = std::make_shared<Login>(*l);
    apply(*masked);
    l = std::move(masked);
}

void Anonymizer::apply(AttemptRecord &a) {
    a.initiator = endpoint(a.initiator);
    a.portal = endpoint(a.portal);
}

void Anonymizer::apply(ConnectionRecord &c) {
    c.initiator = endpoint(c.initiator);
    c.target = endpoint(c.target);
    c.initiator_name = initiator(c.initiator_name);
    c.target_name = target(c.target_name);
    if (c.login)
        apply(*c.login);
}

void Anonymizer::apply(SessionRecord &s) {
    s.initiator_name = initiator(s.initiator_name);
    s.target_name = target(s.target_name);
    keep_standard(s.session_type, "SessionType");
    keep_standard(s.target_portal_group, "TargetPortalGroupTag");
    if (s.from_login)
        s.isid = isid(s.isid);
}

void Anonymizer::apply(LunRecord &l) {
    l.serial = serial(l.serial);
    l.designator = designator(l.designator);
}

void Anonymizer::apply(ReservationRecord &r) {
    for (Registrant &x : r.registrants)
        x.name = initiator(x.name);
}

// Its segment keeps the real addresses, which its checksum covers.
void Anonymizer::apply(SegmentRecord &s) {
    for (Endpoint &e : s.endpoints)
        e = endpoint(e);
}

void Anonymizer::apply(CaptureSummary &s, std::size_t number) {
    s.path = fmt::format("capture-{}", number);
    for (CaptureFile &f : s.files)
        f.path = fmt::format("capture-{}", number++);
    s.info.comment.clear();
    for (MirrorSession &m : s.mirrors)
        m.source = address(m.source);
    for (IcmpError &e : s.icmp_errors) {
        e.sender = address(e.sender);
        e.source = endpoint(e.source);
        e.destination = endpoint(e.destination);
    }
    std::size_t n = 0;
    for (CaptureInterface &i : s.info.interfaces)
        if (!i.name.empty())
            i.name = fmt::format("interface-{}", ++n);
}

} // namespace iscsiscope
