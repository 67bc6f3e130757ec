// SPDX-License-Identifier: GPL-2.0-or-later
// RecordLog: takes the records of a ConnectionFollower and writes them down in LoggedRecords, from which they
// are handed on later, in another order than that in which they came: by the works (segments and closings)
// that caused them.
//
// In: begin() of a work, then the records that it causes; a work may be begun again. Out: deliver() hands the
// records of one work on, in the order in which they came. Several threads may put records at a time, each
// into records of its own. The bytes of PDUs are copied; those of segments must stay where they are until
// then.
#pragma once

#include "analyzer/cycles/records/record_sink.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <tuple>
#include <vector>

namespace iscsiscope {

class LoggedRecords {
public:
    LoggedRecords() = default;
    LoggedRecords(const LoggedRecords &) = delete;
    LoggedRecords &operator=(const LoggedRecords &) = delete;

    // Hands on what the work, numbered from 0, caused. change(record): before each.
    template <class Change>
    void deliver(std::uint32_t work, const RecordTables &to, const Change &change) {
        if (work >= works_.size())
            return;
        for (std::uint32_t i = works_[work].first; i != none; i = entries_[i].next)
            deliver(entries_[i], to, change, AllRecords{});
    }
    // Forgets all records and works.
    void clear();

private:
    friend class RecordLog;
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    struct Entry {
        std::uint32_t at = 0; // among the records of its table
        std::uint32_t next = none;
        std::uint8_t table = 0; // place in AllRecords
    };
    struct Work {
        std::uint32_t first = none, last = none; // entries
    };
    template <class... Records>
    static std::tuple<std::vector<Records>...> tables_of(RecordList<Records...>);

    void note(std::uint32_t work, std::uint8_t table, std::size_t at) {
        const auto i = static_cast<std::uint32_t>(entries_.size());
        entries_.push_back({static_cast<std::uint32_t>(at), none, table});
        if (work >= works_.size())
            works_.resize(work + std::size_t{1});
        Work &of = works_[work];
        (of.first == none ? of.first : entries_[of.last].next) = i;
        of.last = i;
        used_ |= std::uint64_t{1} << table;
    }
    template <class Record>
    void keep_bytes(Record &r) {
        if constexpr (requires { r.pdu.data; }) {
            keep(r.pdu.ahs);
            keep(r.pdu.data);
        }
    }
    void keep(std::span<const std::byte> &);
    template <class Change, class... Records>
    void deliver(const Entry &e, const RecordTables &to, const Change &change, RecordList<Records...>) {
        using Deliver = void (*)(LoggedRecords &, std::uint32_t, const RecordTables &, const Change &);
        static constexpr std::array<Deliver, sizeof...(Records)> of{
            +[](LoggedRecords &all, std::uint32_t at, const RecordTables &tables, const Change &before) {
                Records &record = std::get<std::vector<Records>>(all.records_)[at];
                before(record);
                tables.put(record);
            }...};
        of[e.table](*this, e.at, to, change);
    }

    decltype(tables_of(AllRecords{})) records_;
    std::uint64_t used_ = 0; // a bit for each table with records
    std::vector<Entry> entries_;
    std::vector<Work> works_;
    std::vector<std::unique_ptr<std::byte[]>> bytes_;
};

class RecordLog {
public:
    // wanted: the tables of which anybody takes the records.
    explicit RecordLog(const RecordTables &wanted) : RecordLog(wanted, AllRecords{}) {}
    RecordLog(const RecordLog &) = delete;
    RecordLog &operator=(const RecordLog &) = delete;

    // Where the records are to be put.
    const RecordTables &tables() const { return tables_; }

    // The records that come in this thread are written there, until its next call.
    static void write_to(LoggedRecords &to) { now.to = &to; }
    // The records that come in this thread belong to this work.
    static void begin(std::uint32_t work) { now.work = work; }
    static std::uint32_t work() { return now.work; }
    static LoggedRecords &written_to() { return *now.to; }

private:
    struct Now {
        LoggedRecords *to;
        std::uint32_t work;
    };
    static inline constinit thread_local Now now{nullptr, 0};

    template <class Record>
    class Shelf : public Sink<Record> {
    public:
        Shelf() = default;
        Shelf(const Shelf &) = delete;
        Shelf &operator=(const Shelf &) = delete;
        virtual ~Shelf() = default;
        void on(const Record &r) override {
            LoggedRecords &to = *now.to;
            auto &kept = std::get<std::vector<Record>>(to.records_);
            to.note(now.work, table, kept.size());
            kept.push_back(r);
            to.keep_bytes(kept.back());
        }
        std::uint8_t table = 0;
    };
    template <class... Records>
    static std::tuple<Shelf<Records>...> shelves_of(RecordList<Records...>);

    template <class... Records>
    RecordLog(const RecordTables &wanted, RecordList<Records...>) {
        std::uint8_t table = 0;
        (open(std::get<Shelf<Records>>(shelves_), table++, wanted), ...);
    }
    template <class Record>
    void open(Shelf<Record> &shelf, std::uint8_t table, const RecordTables &wanted) {
        shelf.table = table;
        if (wanted.wanted<Record>())
            tables_.add<Record>(shelf);
    }

    RecordTables tables_;
    decltype(shelves_of(AllRecords{})) shelves_;
};

} // namespace iscsiscope
