// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/document/stores/record_stores.h"

namespace iscsiscope::gui {
namespace {

std::uint32_t packed(const std::optional<std::uint64_t> &v) {
    return v ? static_cast<std::uint32_t>(std::min<std::uint64_t>(*v, unknownBytes - 1)) : unknownBytes;
}

} // namespace

void SampleSeries::append(const TcpSample &s) {
    SampleChunk &c = table_.chunkToAppend();
    const std::size_t i = table_.placeToAppend();
    c.time[i] = s.time;
    c.rtt[i] = s.rtt.value_or(Duration{-1});
    c.frame[i] = static_cast<std::uint32_t>(s.frame);
    c.flight[i] = packed(s.flight);
    c.cwnd[i] = packed(s.cwnd);
    c.cwndLow[i] = packed(s.cwnd_low);
    c.cwndHigh[i] = packed(s.cwnd_high);
    c.receiveWindow[i] = packed(s.receive_window);
    c.state[i] = static_cast<std::uint8_t>(s.state);
    c.limit[i] = static_cast<std::uint8_t>(s.limit);
    table_.added();
}

std::optional<std::int64_t> SampleSeries::value(Row r, SampleFigure f) const {
    const SampleChunk &c = table_.chunkOf(r);
    const std::size_t i = at(r);
    const auto bytes = [i](const auto &column) {
        return column[i] == unknownBytes ? std::nullopt : std::optional<std::int64_t>(column[i]);
    };
    switch (f) {
    case SampleFigure::cwnd:
        return bytes(c.cwnd);
    case SampleFigure::flight:
        return bytes(c.flight);
    case SampleFigure::receiveWindow:
        return bytes(c.receiveWindow);
    case SampleFigure::cwndLow:
        return bytes(c.cwndLow);
    case SampleFigure::cwndHigh:
        return bytes(c.cwndHigh);
    case SampleFigure::rtt:
        return c.rtt[i] < Duration{} ? std::nullopt : std::optional(to_ns(c.rtt[i]));
    }
    return std::nullopt;
}

void PassedSeries::append(const StreamBytes &p) {
    Time time = p.time;
    if (const std::size_t n = size(); n != 0)
        time = std::max(time, table_.chunkOf(n - 1).time[table_.placeOf(n - 1)]);
    sum_ += p.total();
    PassedChunk &chunk = table_.chunkToAppend();
    chunk.time[table_.placeToAppend()] = time;
    chunk.sum[table_.placeToAppend()] = sum_;
    table_.added();
}

std::uint64_t PassedSeries::before(Time time) const {
    std::size_t low = 0, high = size(); // the rows before `low` are before the time, those from `high` on not
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        if (table_.chunkOf(middle).time[table_.placeOf(middle)] < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low == 0 ? 0 : table_.chunkOf(low - 1).sum[table_.placeOf(low - 1)];
}

std::size_t Tables::memory() const {
    std::size_t sum = cycles.memory() + bursts.memory() + gaps.memory() + retransmissions.memory() +
                      without_task.capacity() * sizeof(NoTaskRecord) + ledger.memory();
    for (const auto &[key, series] : passed)
        sum += series.memory();
    for (const auto &[key, series] : samples)
        sum += series.memory();
    return sum;
}

} // namespace iscsiscope::gui
