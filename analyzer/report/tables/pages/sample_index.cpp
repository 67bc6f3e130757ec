// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/tables/pages/sample_index.h"

#include "analyzer/report/tables/pages/record.h"
#include "analyzer/report/tables/pages/tree_levels.h"

#include <array>
#include <cstring>

namespace iscsiscope {
namespace {

// A record of four columns: at most three integers of 8 bytes and a text of 12.
constexpr std::size_t max_cell = 1 + 5 + 3 * 8 + 12;

// Differences, with the low bits first.
void put_difference(std::string &out, std::uint64_t v) {
    for (; v >= 0x80; v >>= 7U)
        out += static_cast<char>(v | 0x80U);
    out += static_cast<char>(v);
}

std::uint64_t take_difference(std::string_view &from) {
    std::uint64_t v = 0;
    for (unsigned shift = 0; !from.empty(); shift += 7) {
        const auto byte = static_cast<unsigned char>(from.front());
        from.remove_prefix(1);
        v |= std::uint64_t{byte & 0x7fU} << shift;
        if (byte < 0x80)
            break;
    }
    return v;
}

// Writes entries in order; their leaves hold all but those that divide them.
class Leaves {
public:
    explicit Leaves(PageFile &file)
        : file_(file), leaf_(PageKind::index_leaf, leaf_header),
          levels_(file, PageKind::index_inner, max_cell) {}

    void add(std::string_view record) {
        const std::size_t size = 1 + record.size(); // a length below 128
        if (!leaf_.fits(size)) {
            std::string divider = leaf_.take_last();
            const PageNumber page = file_.append(leaf_.finish());
            levels_.add(page, std::move(divider));
            leaf_.clear();
        }
        unsigned char *at = leaf_.add(size);
        *at = static_cast<unsigned char>(record.size());
        std::memcpy(at + 1, record.data(), record.size());
    }
    void finish(PageNumber root) {
        if (levels_.empty())
            file_.replace(root, leaf_.finish());
        else
            levels_.finish(file_.append(leaf_.finish()), root);
    }

private:
    PageFile &file_;
    PageBuilder leaf_;
    TreeLevels levels_;
};

} // namespace

void SampleIndex::add(StreamId stream, bool to_target, std::int64_t time_ns, std::int64_t row) {
    if (!in_order_)
        return;
    if (recent_ == nullptr || recent_->first.first != stream || recent_->first.second != to_target)
        recent_ = &*lists_.try_emplace(Key(stream, to_target)).first;
    List &list = recent_->second;
    if (list.row != 0 && time_ns < list.time) {
        in_order_ = false;
        lists_.clear();
        recent_ = nullptr;
        return;
    }
    const std::size_t before = list.kept.size();
    put_difference(list.kept, static_cast<std::uint64_t>(time_ns) - static_cast<std::uint64_t>(list.time));
    put_difference(list.kept, static_cast<std::uint64_t>(row - list.row));
    list.time = time_ns;
    list.row = row;
    kept_ += list.kept.size() - before;
    if (kept_ >= max_kept)
        spill();
}

void SampleIndex::spill() {
    if (!file_)
        file_.reset(std::tmpfile());
    for (auto &[key, list] : lists_) {
        if (list.kept.empty())
            continue;
        in_order_ = in_order_ && file_ != nullptr &&
                    std::fwrite(list.kept.data(), 1, list.kept.size(), file_.get()) == list.kept.size();
        list.parts.push_back({file_end_, list.kept.size()});
        file_end_ += static_cast<long>(list.kept.size());
        list.kept.clear();
        list.kept.shrink_to_fit();
    }
    kept_ = 0;
    in_order_ = in_order_ && std::fflush(file_.get()) == 0;
}

bool SampleIndex::read(const Part &part, std::string &to) {
    to.resize(part.size);
    return std::fseek(file_.get(), part.at, SEEK_SET) == 0 &&
           std::fread(to.data(), 1, part.size, file_.get()) == part.size;
}

bool SampleIndex::finish(PageFile &pages, PageNumber root) {
    Leaves leaves(pages);
    Record record;
    std::string part;
    for (auto &[key, list] : lists_) {
        std::int64_t time = 0, row = 0;
        const auto write = [&, stream = key.first, to_target = key.second](std::string_view entries) {
            while (!entries.empty()) {
                time = static_cast<std::int64_t>(static_cast<std::uint64_t>(time) + take_difference(entries));
                row += static_cast<std::int64_t>(take_difference(entries));
                record.clear();
                record.add(to_value(stream));
                record.add_text(to_target ? "to_target" : "to_initiator");
                record.add_integer(time);
                record.add_integer(row);
                leaves.add(record.finish());
            }
        };
        for (const Part &p : list.parts) {
            if (!read(p, part))
                return false;
            write(part);
        }
        write(list.kept);
        list = {};
    }
    leaves.finish(root);
    return true;
}

} // namespace iscsiscope
