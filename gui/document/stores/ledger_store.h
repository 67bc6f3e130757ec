// SPDX-License-Identifier: GPL-2.0-or-later
// LedgerStore keeps of each entry of the ledger what the owners of any range need, exactly, in the order of
// arrival: stream, LUN, type, owner, trouble, start and length. One thread appends; copies are snapshots.
//
// An entry is a byte of flags, with its owner, then numbers of seven bits a byte, the lowest first: its work,
// unless it is that of the entry before; its start, from the end of its connection's last entry, unless it
// begins there; its length. That is mostly five bytes.
#pragma once

#include "analyzer/cycles/records/ledger_entry.h"
#include "gui/document/stores/chunk_table.h"

#include <map>
#include <unordered_map>

namespace iscsiscope::gui {

class LedgerStore {
public:
    void append(const LedgerEntry &);
    std::size_t size() const { return size_; }
    std::size_t memory() const;

    // Passes over the entries. The store must outlive it and stay as it is.
    class Reader {
    public:
        explicit Reader(const LedgerStore &store) : store_(store) {}
        bool next(LedgerEntry &); // false: there is none

    private:
        std::uint64_t number();

        const LedgerStore &store_;
        std::size_t at_ = 0, work_ = 0;
        std::unordered_map<StreamId, std::uint64_t> ends_;
    };

private:
    struct Bytes {
        static constexpr std::size_t rows = 16384;
        std::array<std::uint8_t, rows> byte;
    };
    struct Work {
        StreamId stream;
        std::uint64_t lun = 0;
        TaskType type{};
        friend auto operator<=>(const Work &, const Work &) = default;
    };

    void put(std::uint8_t);
    void number(std::uint64_t);

    ChunkTable<Bytes> bytes_;
    std::vector<Work> works_;
    std::map<Work, std::size_t> places_;               // in works_
    std::unordered_map<StreamId, std::uint64_t> ends_; // of each connection's last entry, in ns
    std::size_t size_ = 0, work_ = 0;                  // entries; the last one's work
};

} // namespace iscsiscope::gui
