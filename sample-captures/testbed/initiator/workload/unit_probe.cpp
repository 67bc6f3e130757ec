// SPDX-License-Identifier: GPL-2.0-or-later
#include "sample-captures/testbed/initiator/workload/unit_probe.h"

#include "analyzer/iscsi/scsi/sense_codes.h"
#include "analyzer/iscsi/scsi/status.h"

namespace iscsiscope::testbed::initiator {

namespace {

// One probe: each answer starts the next question. Kept alive by the task in flight.
class Probe : public std::enable_shared_from_this<Probe> {
public:
    Probe(Session &session, std::function<void(const UnitFacts &)> known)
        : session_(session), known_(std::move(known)) {}

    void inquire() {
        ask(
            "INQUIRY", inquiry_cdb(96), 96,
            [](Probe &self, std::span<const std::byte> data) {
                const auto inquiry = parse_inquiry(data);
                if (!inquiry)
                    return self.end("its INQUIRY data cannot be read");
                self.facts_.vendor = inquiry->vendor;
                self.facts_.product = inquiry->product;
                if (inquiry->qualifier != 0)
                    return self.end("there is no such logical unit");
                if (inquiry->device_type != DeviceType::disk)
                    return self.end("the logical unit is not a disk");
                self.test_ready();
            });
    }

private:
    using Answer = void (*)(Probe &, std::span<const std::byte>);

    void test_ready() {
        ask(
            "TEST UNIT READY", test_unit_ready_cdb(), 0,
            [](Probe &self, std::span<const std::byte>) { self.read_capacity(); });
    }

    void read_capacity() {
        ask(
            "READ CAPACITY(10)", read_capacity_10_cdb(), 8,
            [](Probe &self, std::span<const std::byte> data) {
                if (const auto capacity = parse_read_capacity_10(data))
                    return self.take(*capacity);
                self.ask(
                    "READ CAPACITY(16)", read_capacity_16_cdb(32), 32,
                    [](Probe &inner, std::span<const std::byte> longer) {
                        if (const auto capacity = parse_read_capacity_16(longer))
                            return inner.take(*capacity);
                        inner.end("its capacity cannot be read");
                    });
            });
    }

    void take(const Capacity &capacity) {
        // The data pattern needs room for its head.
        if (capacity.block_length < 32 || capacity.block_length % 8 != 0)
            return end("blocks of " + std::to_string(capacity.block_length) + " bytes are not supported");
        facts_.blocks = capacity.last_lba + 1;
        facts_.block_bytes = capacity.block_length;
        end({});
    }

    void ask(const char *what, const Cdb &cdb, std::size_t room, Answer answer, unsigned tries = 0) {
        auto task = std::make_shared<Task>();
        task->cdb = cdb;
        task->flow = room > 0 ? DataFlow::read : DataFlow::none;
        if (room > 0)
            task->data = std::make_shared<Buffer>(room);
        task->no_abort = true;
        task->ended = [self = shared_from_this(), what, cdb, room, answer, tries](Task &ended) {
            if (ended.outcome != TaskOutcome::done)
                return self->end(std::string(what) + " did not come to an end");
            if (static_cast<ScsiStatus>(ended.status) == ScsiStatus::good)
                return answer(*self, std::span<const std::byte>(ended.data ? ended.data->data() : nullptr,
                                                                ended.received));
            // A fresh session begins with unit attentions (power on, reset).
            if (ended.sense && ended.sense->key == 6 && tries < 10)
                return self->ask(what, cdb, room, answer, tries + 1);
            std::string why =
                std::string(what) + ": " + std::string(name(static_cast<ScsiStatus>(ended.status)));
            if (ended.sense)
                why += ", " + std::string(sense_key_name(ended.sense->key)) + " " +
                       std::string(sense_code_name(ended.sense->asc, ended.sense->ascq));
            self->end(std::move(why));
        };
        session_.submit(std::move(task));
    }

    void end(std::string error) {
        facts_.error = std::move(error);
        if (const auto known = std::exchange(known_, nullptr))
            known(facts_);
    }

    Session &session_;
    std::function<void(const UnitFacts &)> known_;
    UnitFacts facts_;
};

} // namespace

void probe_unit(Session &session, std::function<void(const UnitFacts &)> known) {
    std::make_shared<Probe>(session, std::move(known))->inquire();
}

} // namespace iscsiscope::testbed::initiator
