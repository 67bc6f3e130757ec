// SPDX-License-Identifier: GPL-2.0-or-later
// SampleIndex: the index of tcp_samples by stream, direction and time, which has as many entries as there are
// data segments. They come in order within a stream and direction, so that nothing needs to be sorted.
#pragma once

#include "analyzer/base/ids.h"
#include "analyzer/report/tables/pages/page_file.h"

#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace iscsiscope {

// Entries are kept as differences to the one before, of four bytes or so; beyond 16 MiB they go to a
// temporary file without a name.
class SampleIndex {
public:
    // row: ascending.
    void add(StreamId stream, bool to_target, std::int64_t time_ns, std::int64_t row);
    // False: an entry was earlier than the one before it, or the temporary file failed. SQLite has to make
    // the index then.
    bool in_order() const { return in_order_; }
    // The index's empty root page becomes the root of all entries. Returns false if the temporary file
    // failed.
    bool finish(PageFile &, PageNumber root);

private:
    static constexpr std::size_t max_kept = std::size_t{16} << 20;
    // Stream, and whether to the target: in the order of the index, since "to_initiator" comes first.
    using Key = std::pair<StreamId, bool>;
    struct Part {
        long at;
        std::size_t size;
    };
    struct List {
        std::int64_t time = 0, row = 0; // of the last entry
        std::string kept;
        std::vector<Part> parts; // in the file, before what is kept
    };
    struct Close {
        void operator()(std::FILE *f) const { std::fclose(f); }
    };

    void spill();
    bool read(const Part &, std::string &);

    std::map<Key, List> lists_;
    std::pair<const Key, List> *recent_ = nullptr; // most entries follow one of the same list
    std::size_t kept_ = 0;                         // bytes of all lists
    bool in_order_ = true;
    std::unique_ptr<std::FILE, Close> file_;
    long file_end_ = 0;
};

} // namespace iscsiscope
