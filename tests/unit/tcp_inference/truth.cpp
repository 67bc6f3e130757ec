// SPDX-License-Identifier: GPL-2.0-or-later
#include "truth.h"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

namespace iscsiscope::test {
namespace {

// The value of a member of a flat JSON object in one line, as text without quotes.
std::string member(const std::string &line, const std::string &key) {
    const auto at = line.find("\"" + key + "\":");
    if (at == std::string::npos)
        return {};
    std::size_t from = at + key.size() + 3;
    const bool quoted = line[from] == '"';
    if (quoted)
        ++from;
    const auto to = line.find_first_of(quoted ? "\"" : ",}", from);
    return line.substr(from, to - from);
}

std::uint64_t number(const std::string &s) {
    return std::strtoull(s.c_str(), nullptr, 10);
}

// "a:1>b:2", initiator first.
std::uint16_t port_of(const std::string &connection, bool initiator) {
    const auto mark = connection.find('>');
    const std::string end = initiator ? connection.substr(0, mark) : connection.substr(mark + 1);
    return static_cast<std::uint16_t>(number(end.substr(end.rfind(':') + 1)));
}

void read_json(std::ifstream &in, const std::string &side, std::uint16_t port,
               std::vector<TcpInfoRow> &rows) {
    for (std::string line; std::getline(in, line);) {
        if (member(line, "row") != "tcp_info" || member(line, "side") != side ||
            port_of(member(line, "connection"), side == "initiator") != port)
            continue;
        rows.push_back({.time_ns = static_cast<std::int64_t>(number(member(line, "time_ns"))),
                        .cwnd = number(member(line, "cwnd")),
                        .mss = number(member(line, "snd_mss")),
                        .unacked = number(member(line, "unacked")),
                        .sacked = number(member(line, "sacked")),
                        .lost = number(member(line, "lost")),
                        .retransmitted = number(member(line, "retrans")),
                        .congestion_state = static_cast<int>(number(member(line, "ca_state")))});
    }
}

void read_table(std::ifstream &in, std::uint16_t port, std::vector<TcpInfoRow> &rows) {
    std::string line;
    std::getline(in, line);
    std::istringstream head(line.substr(1));
    std::vector<std::string> names;
    for (std::string n; head >> n;)
        names.push_back(n);
    while (std::getline(in, line)) {
        std::istringstream cells(line);
        std::map<std::string, std::string> row;
        std::string cell;
        for (std::size_t i = 0; i < names.size() && cells >> cell; ++i)
            row[names[i]] = cell;
        if (number(row["sport"]) != port)
            continue;
        const std::string &t = row["unix_time"];
        const auto point = t.find('.');
        std::string fraction = point == std::string::npos ? "" : t.substr(point + 1);
        fraction.resize(9, '0');
        rows.push_back({.time_ns = static_cast<std::int64_t>(number(t) * 1'000'000'000 + number(fraction)),
                        .cwnd = number(row["snd_cwnd"]),
                        .mss = number(row["snd_mss"]),
                        .unacked = number(row["unacked"]),
                        .sacked = number(row["sacked"]),
                        .lost = number(row["lost"]),
                        .retransmitted = number(row["retrans"]),
                        .congestion_state = static_cast<int>(number(row["ca_state"]))});
    }
}

} // namespace

std::vector<TcpInfoRow> read_truth(const std::string &path, const std::string &side,
                                   std::uint16_t sender_port) {
    std::vector<TcpInfoRow> rows;
    std::ifstream in(path);
    if (!in)
        return rows;
    if (in.peek() == '#')
        read_table(in, sender_port, rows);
    else
        read_json(in, side, sender_port, rows);
    return rows;
}

} // namespace iscsiscope::test
