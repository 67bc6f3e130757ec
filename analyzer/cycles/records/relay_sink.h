// SPDX-License-Identifier: GPL-2.0-or-later
// RelaySink: what stands between the engine and the sinks, and hands records on.
#pragma once

#include "analyzer/cycles/records/record_sink.h"

namespace iscsiscope {

template <class Derived, class Record>
class RelayOf : public Sink<Record> {
public:
    void on(const Record &r) final { static_cast<Derived &>(*this).relay(r); }

protected:
    ~RelayOf() = default;
};

template <class Derived, class List>
class RelayOfAll;

// Each record becomes one call of Derived::relay(record), which hands it on to next(). It takes the tables
// for which takes<Record>() returns true: those that the next sink takes, if Derived has no other rule.
template <class Derived, class... Records>
class RelayOfAll<Derived, RecordList<Records...>> : public RecordSink, public RelayOf<Derived, Records>... {
public:
    explicit RelayOfAll(RecordSink &next) : next_(next) {}

    void subscribe(RecordTables &to) override {
        const auto add = [&]<class Record>(RelayOf<Derived, Record> &self) {
            if (static_cast<const Derived &>(*this).template takes<Record>())
                to.add<Record>(self);
        };
        (add(static_cast<RelayOf<Derived, Records> &>(*this)), ...);
    }

    template <class Record>
    bool takes() const {
        return next_.wanted<Record>();
    }

protected:
    const RecordTables &next() const { return next_; }

private:
    RecordTables next_;
};

template <class Derived>
using RelaySink = RelayOfAll<Derived, AllRecords>;

} // namespace iscsiscope
