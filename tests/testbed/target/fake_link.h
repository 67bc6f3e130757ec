// SPDX-License-Identifier: GPL-2.0-or-later
// A link made of memory and a clock turned by hand: the target's protocol without sockets.
#pragma once

#include "analyzer/iscsi/codec/pdu/pdus.h"
#include "analyzer/iscsi/text/text_keys.h"
#include "sample-captures/testbed/target/protocol/target.h"
#include "sample-captures/testbed/wire/pdu_link.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <map>

namespace iscsiscope::testbed {

struct Sent {
    HeaderBytes header;
    std::vector<std::byte> data;
    DigestUse digests;
    HeaderView view() const { return HeaderView(header); }
};

class FakeLink final : public PduLink {
public:
    explicit FakeLink(std::string name = "initiator>target") : name_(std::move(name)) {}
    void send(OutgoingPdu out) override {
        if (closed)
            return;
        sent.push_back({out.header, {out.data.begin(), out.data.end()}, digests_});
        queued += basic_header_size + out.data.size();
    }
    std::size_t waiting() const override { return bound == unbounded ? 0 : queued; }
    std::size_t output_bound() const override { return bound; }
    void ask_for_room() override { room_wanted = true; }
    void hold_input(bool hold) override { held = hold; }
    void set_digests(DigestUse use) override { digests_ = use; }
    void limit_data_segment(std::uint32_t) override {}
    void close(std::string_view why) override { close_when_sent(why); }
    void close_when_sent(std::string_view why) override {
        if (!closed)
            reason = why;
        closed = true;
    }
    const std::string &name() const override { return name_; }
    std::string local_address() const override { return "192.0.2.1:3260"; }

    // What came since the last call.
    std::vector<Sent> take() { return std::exchange(sent, {}); }

    static constexpr std::size_t unbounded = std::numeric_limits<std::size_t>::max();
    std::vector<Sent> sent;
    std::size_t bound = unbounded; // else what is sent waits until queued is set back
    std::size_t queued = 0;        // bytes
    bool held = false, room_wanted = false;
    bool closed = false;
    std::string reason;

private:
    std::string name_;
    DigestUse digests_;
};

class HandClock final : public Timers {
public:
    Moment now() const override { return clock_; }
    TimerHandle at(Moment when, std::function<void()> call) override {
        struct Entry final : Timer {
            explicit Entry(std::shared_ptr<bool> l) : live(std::move(l)) {}
            ~Entry() override { *live = false; }
            std::shared_ptr<bool> live;
        };
        auto live = std::make_shared<bool>(true);
        calls_.emplace(when, std::pair(live, std::move(call)));
        return std::make_unique<Entry>(live);
    }
    void post(std::function<void()> call) override { posted_.push_back(std::move(call)); }

    void advance(Nanoseconds by) {
        const Moment until = clock_ + by;
        while (!calls_.empty() && calls_.begin()->first <= until) {
            auto [when, entry] = *calls_.begin();
            calls_.erase(calls_.begin());
            clock_ = std::max(clock_, when);
            if (*entry.first)
                entry.second();
        }
        clock_ = until;
        while (!posted_.empty()) {
            const auto call = std::move(posted_.front());
            posted_.pop_front();
            call();
        }
    }

private:
    Moment clock_{};
    std::multimap<Moment, std::pair<std::shared_ptr<bool>, std::function<void()>>> calls_;
    std::deque<std::function<void()>> posted_;
};

// A target with one disk of memory and initiators' connections to it.
struct Bench {
    explicit Bench(TargetConfig c = {}, std::unique_ptr<ServiceModel> service = nullptr)
        : config(std::move(c)), truth(config) {
        LogicalUnit unit;
        unit.disk = std::make_unique<Disk>(std::move(make_memory_store(1 << 20).value()), 512, false, false,
                                           DiskIdentity{config.name, 0, "0"});
        unit.service = std::move(service);
        units.add(0, std::move(unit));
        target.emplace(config, units, clock, truth);
    }

    struct Wire {
        std::shared_ptr<FakeLink> link;
        PduLinkEvents *events = nullptr;

        void send(const HeaderBytes &header, std::span<const std::byte> data = {},
                  bool digest_ok = true) const {
            HeaderBytes bytes = header;
            wire::store24(&bytes[5], static_cast<std::uint32_t>(data.size()));
            events->on_pdu({HeaderView(bytes), {}, data, digest_ok, 0, 0});
        }
        // The initiator has read everything so far; what was sent until then.
        std::vector<Sent> drain() const {
            auto sent = link->take();
            link->queued = 0;
            if (std::exchange(link->room_wanted, false))
                events->on_room();
            return sent;
        }
    };

    Wire connect() {
        const auto link = std::make_shared<FakeLink>();
        return {link, &target->accept(link, nullptr)};
    }

    // Logs in without a security stage. Returns the TSIH; 0: refused.
    std::uint16_t log_in(const Wire &w, std::vector<KeyValue> keys = {}, std::uint16_t tsih = 0,
                         std::uint16_t cid = 0, bool discovery = false) {
        LoginRequest r;
        r.transit = true;
        r.current_stage = LoginStage::operational;
        r.next_stage = LoginStage::full_feature;
        r.cmd_sn = CmdSn{1};
        r.tsih = tsih;
        r.cid = cid;
        keys.insert(keys.begin(), {"InitiatorName", "iqn.test:initiator"});
        if (discovery)
            keys.push_back({"SessionType", "Discovery"});
        else
            keys.push_back({"TargetName", config.name});
        w.send(r.encode(), build_text(keys));
        const auto sent = w.link->take();
        const auto answer = sent.empty() ? std::nullopt : LoginResponse::parse(sent.back().view());
        return answer && answer->status_class == 0 ? answer->tsih : std::uint16_t{0};
    }

    static ScsiCommand command(std::uint32_t itt, std::uint32_t cmd_sn, std::uint8_t opcode,
                               std::uint32_t lba, std::uint16_t blocks) {
        ScsiCommand c;
        c.initiator_task_tag = InitiatorTaskTag{itt};
        c.cmd_sn = CmdSn{cmd_sn};
        c.read = opcode == 0x28;
        c.write = opcode == 0x2a;
        c.expected_data_transfer_length = std::uint32_t{blocks} * 512;
        wire::store8(&c.cdb[0], opcode);
        wire::store32(&c.cdb[2], lba);
        wire::store16(&c.cdb[7], blocks);
        return c;
    }

    TargetConfig config;
    LogicalUnits units;
    HandClock clock;
    TruthLog truth;
    std::optional<Target> target;
};

} // namespace iscsiscope::testbed
