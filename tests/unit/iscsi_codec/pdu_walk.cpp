// SPDX-License-Identifier: GPL-2.0-or-later
#include "pdu_walk.h"

#include "analyzer/base/crc32c/crc32c.h"
#include "analyzer/iscsi/codec/header_view.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <span>
#include <sstream>

using namespace iscsiscope;

namespace {

struct Piece {
    std::uint32_t sequence;
    std::vector<std::byte> bytes;
};

std::vector<std::byte> from_hex(const std::string &hex) {
    const auto digit = [](char c) { return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10); };
    std::vector<std::byte> out(hex.size() / 2);
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = static_cast<std::byte>(digit(hex[2 * i]) << 4 | digit(hex[2 * i + 1]));
    return out;
}

// Up to the first hole.
std::vector<std::byte> join(std::vector<Piece> pieces) {
    std::vector<std::byte> out;
    if (pieces.empty())
        return out;
    std::uint32_t start = pieces.front().sequence;
    for (const auto &p : pieces)
        if (static_cast<std::int32_t>(p.sequence - start) < 0)
            start = p.sequence;
    std::ranges::stable_sort(pieces, {}, [start](const Piece &p) { return p.sequence - start; });
    for (const auto &p : pieces) {
        const std::size_t at = p.sequence - start;
        if (at > out.size())
            break;
        const std::size_t known = out.size() - at;
        if (known < p.bytes.size())
            out.insert(out.end(), p.bytes.begin() + static_cast<std::ptrdiff_t>(known), p.bytes.end());
    }
    return out;
}

void note_digest(WalkedCapture &capture, std::uint32_t computed, std::span<const std::byte> at) {
    ++(load_digest(at.first<digest_size>()) == computed ? capture.digests_ok : capture.digests_bad);
}

// One PDU at the end of what has been walked; false: not whole.
bool walk_one(WalkedCapture &capture, WalkedConnection &c, std::size_t direction, bool header_digest,
              bool data_digest) {
    const auto left = std::span<const std::byte>(c.stream[direction]).subspan(c.walked[direction]);
    if (left.size() < basic_header_size)
        return false;
    const HeaderView view(left.first<basic_header_size>());
    const std::size_t length = view.pdu_length(header_digest, data_digest);
    if (left.size() < length)
        return false;
    WalkedPdu pdu;
    pdu.direction = static_cast<PduDirection>(direction);
    std::ranges::copy(view.bytes(), pdu.header.begin());
    pdu.offset = c.walked[direction];
    const std::size_t head = view.header_length();
    if (header_digest)
        note_digest(capture, crc32c(0, left.first(head)), left.subspan(head));
    const std::size_t data = head + (header_digest ? digest_size : 0);
    const std::size_t with_padding = view.padded_data_segment_length();
    if (data_digest && with_padding != 0)
        note_digest(capture, crc32c(0, left.subspan(data, with_padding)), left.subspan(data + with_padding));
    const auto segment = left.subspan(data, view.data_segment_length());
    pdu.data.assign(segment.begin(), segment.end());
    c.pdus[direction].push_back(std::move(pdu));
    c.walked[direction] += length;
    return true;
}

bool at_login(const WalkedConnection &c, std::size_t direction) {
    const auto &s = c.stream[direction];
    const std::size_t at = c.walked[direction];
    return at < s.size() && (s[at] == std::byte{0x43} || s[at] == std::byte{0x23});
}

} // namespace

std::optional<std::string> capture_folder() {
    const char *given = std::getenv("ISCSISCOPE_CAPTURES");
    const std::string folder = given != nullptr ? given : ISCSISCOPE_SOURCE_DIR "/../shared/captures";
    if (!std::filesystem::is_directory(folder)) {
        std::printf("skipped: no captures at %s (set ISCSISCOPE_CAPTURES)\n", folder.c_str());
        return std::nullopt;
    }
    if (std::system("command -v tshark >/dev/null 2>&1") != 0) {
        std::printf("skipped: no tshark\n");
        return std::nullopt;
    }
    return folder;
}

std::vector<std::vector<std::string>> tshark_rows(const std::string &path, const std::string &filter,
                                                  const std::vector<std::string> &fields) {
    std::string command = "tshark -r '" + path +
                          "' -o iscsi.bogus_pdu_max_data_len:16777215 "
                          "-o iscsi.target_ports:3260,860 -Y '" +
                          filter + "' -T fields -E separator=';'";
    for (const auto &f : fields)
        command += " -e " + f;
    command += " 2>/dev/null";
    std::vector<std::vector<std::string>> rows;
    const auto close = [](std::FILE *f) { (void)pclose(f); };
    const std::unique_ptr<std::FILE, decltype(close)> pipe(popen(command.c_str(), "r"), close);
    if (!pipe)
        return rows;
    std::string line;
    for (int c = std::fgetc(pipe.get()); c != EOF; c = std::fgetc(pipe.get())) {
        if (c != '\n') {
            line.push_back(static_cast<char>(c));
            continue;
        }
        std::vector<std::string> row;
        std::stringstream stream(line + ";");
        for (std::string cell; std::getline(stream, cell, ';');)
            row.push_back(cell);
        row.resize(fields.size());
        rows.push_back(std::move(row));
        line.clear();
    }
    return rows;
}

WalkedCapture walk_capture(const std::string &path) {
    std::map<std::uint64_t, std::vector<Piece>> pieces[2];
    for (const auto &row :
         tshark_rows(path, "tcp.len > 0", {"tcp.stream", "tcp.dstport", "tcp.seq_raw", "tcp.payload"})) {
        const bool to_target = row[1] == "3260" || row[1] == "860";
        pieces[to_target ? 0 : 1][std::stoull(row[0])].push_back(
            {static_cast<std::uint32_t>(std::stoul(row[2])), from_hex(row[3])});
    }
    WalkedCapture capture;
    for (const std::size_t direction : {0u, 1u})
        for (auto &[stream, list] : pieces[direction])
            capture.connections[stream].stream[direction] = join(std::move(list));
    for (auto &[stream, c] : capture.connections) {
        Negotiation negotiation;
        for (const std::size_t direction : {0u, 1u}) {
            TextCollector text;
            while (at_login(c, direction) && walk_one(capture, c, direction, false, false))
                text.add(c.pdus[direction].back().data);
            negotiation.add(direction == 0 ? Party::initiator : Party::target, text.finish());
        }
        c.login = negotiation.result();
        const auto &p = c.login.parameters;
        for (const std::size_t direction : {0u, 1u})
            while (walk_one(capture, c, direction, p.header_digest_crc32c, p.data_digest_crc32c)) {
            }
    }
    return capture;
}
