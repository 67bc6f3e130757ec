// SPDX-License-Identifier: GPL-2.0-or-later
// The codec on traffic of stacks this project did not write.
#include "analyzer/iscsi/codec/pdu/pdus.h"
#include "analyzer/iscsi/codec/pdu/plausible.h"
#include "catch.h"
#include "pdu_walk.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

using namespace iscsiscope;

namespace {

// "name": number within the "pdus" object of a .walk.json.
std::map<std::string, std::size_t> counts_of(const std::string &walk) {
    std::ifstream file(walk);
    std::stringstream all;
    all << file.rdbuf();
    const std::string s = all.str();
    std::map<std::string, std::size_t> counts;
    std::size_t at = s.find('{', s.find("\"pdus\""));
    const std::size_t end = s.find('}', at);
    while (at != std::string::npos && (at = s.find('"', at)) < end) {
        const std::size_t close = s.find('"', at + 1);
        counts[s.substr(at + 1, close - at - 1)] = std::stoull(s.substr(s.find(':', close) + 1));
        at = close + 1;
    }
    return counts;
}

std::size_t number_of(const std::string &walk, const std::string &key) {
    std::ifstream file(walk);
    std::stringstream all;
    all << file.rdbuf();
    const std::string s = all.str();
    const std::size_t at = s.find("\"" + key + "\"");
    return at == std::string::npos ? 0 : std::stoull(s.substr(s.find(':', at) + 1));
}

template <class T>
bool rewrites(HeaderView h) {
    const auto pdu = T::parse(h);
    return pdu && std::ranges::equal(pdu->encode(), h.bytes());
}

// Parsed and encoded again it is the same 48 bytes.
bool rewrites_any(HeaderView h) {
    switch (h.opcode()) {
    case Opcode::nop_out:
        return rewrites<NopOut>(h);
    case Opcode::scsi_command:
        return rewrites<ScsiCommand>(h);
    case Opcode::task_management_request:
        return rewrites<TaskManagementRequest>(h);
    case Opcode::login_request:
        return rewrites<LoginRequest>(h);
    case Opcode::text_request:
        return rewrites<TextRequest>(h);
    case Opcode::data_out:
        return rewrites<DataOut>(h);
    case Opcode::logout_request:
        return rewrites<LogoutRequest>(h);
    case Opcode::snack_request:
        return rewrites<SnackRequest>(h);
    case Opcode::nop_in:
        return rewrites<NopIn>(h);
    case Opcode::scsi_response:
        return rewrites<ScsiResponse>(h);
    case Opcode::task_management_response:
        return rewrites<TaskManagementResponse>(h);
    case Opcode::login_response:
        return rewrites<LoginResponse>(h);
    case Opcode::text_response:
        return rewrites<TextResponse>(h);
    case Opcode::data_in:
        return rewrites<DataIn>(h);
    case Opcode::logout_response:
        return rewrites<LogoutResponse>(h);
    case Opcode::r2t:
        return rewrites<R2t>(h);
    case Opcode::async_message:
        return rewrites<AsyncMessage>(h);
    case Opcode::reject:
        return rewrites<Reject>(h);
    }
    return false;
}

std::string hex(HeaderView h) {
    std::string s;
    char two[4];
    for (const std::byte b : h.bytes()) {
        std::snprintf(two, sizeof two, "%02x", std::to_integer<unsigned>(b));
        s += two;
    }
    return s;
}

std::vector<std::filesystem::path> files_ending(const std::string &folder, const std::string &end) {
    std::vector<std::filesystem::path> files;
    for (const auto &entry : std::filesystem::directory_iterator(folder))
        if (entry.path().string().ends_with(end))
            files.push_back(entry.path());
    std::ranges::sort(files);
    return files;
}

} // namespace

TEST_CASE("Every PDU of the captures is plausible, parsed and written again; nothing else is plausible") {
    const auto folder = capture_folder();
    if (!folder)
        return;
    std::size_t files = 0, pdus = 0, offsets = 0, false_headers = 0;
    std::set<std::string> not_same;
    for (const auto &path : files_ending(*folder, ".pcap.zst")) {
        const std::string file = path.filename().string();
        // Cut payloads cannot be walked by a plain walker.
        if (file.starts_with("h_") || file.starts_with("n_") || file.starts_with("z"))
            continue;
        CAPTURE(file);
        ++files;
        const auto capture = walk_capture(path.string());
        std::map<std::string, std::size_t> counts;
        for (const auto &[stream, c] : capture.connections) {
            for (const std::size_t direction : {0u, 1u}) {
                std::set<std::size_t> starts;
                const auto way = static_cast<PduDirection>(direction);
                for (const auto &pdu : c.pdus[direction]) {
                    const HeaderView view(pdu.header);
                    ++counts[std::string(name(view.opcode()))];
                    ++pdus;
                    starts.insert(pdu.offset);
                    CAPTURE(hex(view));
                    CHECK(plausible_header(view, way));
                    CHECK_FALSE(plausible_header(view, opposite(way)));
                    if (!rewrites_any(view))
                        not_same.insert(file + " " + hex(view));
                }
                const auto &s = c.stream[direction];
                for (std::size_t i = 0; i + basic_header_size <= s.size(); ++i) {
                    const HeaderView view(std::span<const std::byte, basic_header_size>(&s[i], 48));
                    ++offsets;
                    // Beyond what was walked headers may stand too.
                    if (i < c.walked[direction] && !starts.contains(i) && plausible_header(view, way)) {
                        ++false_headers;
                        std::printf("false header in %s at %zu: %s\n", file.c_str(), i, hex(view).c_str());
                    }
                }
            }
        }
        const std::string walk = path.string().substr(0, path.string().size() - 4) + ".walk.json";
        if (std::filesystem::exists(walk)) {
            CHECK(counts == counts_of(walk));
            CHECK(capture.digests_ok ==
                  number_of(walk, "header_digests_ok") + number_of(walk, "data_digests_ok"));
            CHECK(capture.digests_bad == 0);
        }
    }
    CHECK(false_headers == 0);
    for (const auto &line : not_same)
        std::printf("reserved bits set: %s\n", line.c_str());
    CHECK(not_same.empty());
    CHECK(files >= 19);
    std::printf("%zu captures, %zu PDUs plausible and rewritten; of %zu offsets %zu false headers\n", files,
                pdus, offsets, false_headers);
}

TEST_CASE("Fields agree with tshark's") {
    const auto folder = capture_folder();
    if (!folder)
        return;
    using Has = bool (*)(HeaderView);
    struct Field {
        std::string tshark;
        Has has; // null: every PDU
        std::uint64_t (*value)(HeaderView);
    };
    const std::vector<Field> fields = {
        {"iscsi.opcode", nullptr,
         [](HeaderView h) -> std::uint64_t { return static_cast<unsigned>(h.opcode()); }},
        // tshark leaves out the one of a Task Management Response.
        {"iscsi.datasegmentlength",
         [](HeaderView h) { return h.opcode() != Opcode::task_management_response; },
         [](HeaderView h) -> std::uint64_t { return h.data_segment_length(); }},
        {"iscsi.initiatortasktag", [](HeaderView h) { return h.has_initiator_task_tag(); },
         [](HeaderView h) -> std::uint64_t { return static_cast<std::uint32_t>(h.initiator_task_tag()); }},
        {"iscsi.cmdsn", [](HeaderView h) { return h.has_cmd_sn(); },
         [](HeaderView h) -> std::uint64_t { return h.cmd_sn().value; }},
        {"iscsi.expstatsn", [](HeaderView h) { return h.has_exp_stat_sn(); },
         [](HeaderView h) -> std::uint64_t { return h.exp_stat_sn().value; }},
        // tshark shows the field of a Data-In without S as well.
        {"iscsi.statsn", [](HeaderView h) { return h.has_exp_cmd_sn(); },
         [](HeaderView h) -> std::uint64_t { return h.stat_sn().value; }},
        {"iscsi.expcmdsn", [](HeaderView h) { return h.has_exp_cmd_sn(); },
         [](HeaderView h) -> std::uint64_t { return h.exp_cmd_sn().value; }},
        {"iscsi.maxcmdsn", [](HeaderView h) { return h.has_max_cmd_sn(); },
         [](HeaderView h) -> std::uint64_t { return h.max_cmd_sn().value; }},
        {"iscsi.datasn", [](HeaderView h) { return h.has_data_sn(); },
         [](HeaderView h) -> std::uint64_t { return h.data_sn().value; }},
        {"iscsi.r2tsn", [](HeaderView h) { return h.has_r2t_sn(); },
         [](HeaderView h) -> std::uint64_t { return h.r2t_sn().value; }},
        {"iscsi.desireddatalength", [](HeaderView h) { return h.has_r2t_sn(); },
         [](HeaderView h) -> std::uint64_t { return h.desired_data_transfer_length(); }},
        {"iscsi.bufferOffset", [](HeaderView h) { return h.has_buffer_offset(); },
         [](HeaderView h) -> std::uint64_t { return h.buffer_offset(); }},
    };
    std::vector<std::string> names = {"tcp.stream", "tcp.dstport"};
    for (const auto &f : fields)
        names.push_back(f.tshark);
    std::size_t values = 0;
    for (const auto *file :
         {"a_read_4MiB_512K_1ms.ini", "b_write_4MiB_256K_5ms_r2t64k.tgt", "c2_write_4MiB_1M_5ms_defaults.tgt",
          "k_vlan100_read_write.ini", "tgt_iscsi_test_cu_family", "tgt_ls_inq_readcap"}) {
        const std::string path = *folder + "/" + file + ".pcap.zst";
        CAPTURE(file);
        // Lists a stream and direction: which PDU a value belongs to tshark does not say.
        std::map<std::string, std::vector<std::uint64_t>> expected, found;
        for (const auto &row : tshark_rows(path, "iscsi", names)) {
            const bool to_target = row[1] == "3260" || row[1] == "860";
            for (std::size_t i = 0; i < fields.size(); ++i) {
                std::stringstream cells(row[i + 2]);
                for (std::string cell; std::getline(cells, cell, ',');)
                    expected[row[0] + (to_target ? " > " : " < ") + fields[i].tshark].push_back(
                        std::stoull(cell, nullptr, 0));
            }
        }
        for (const auto &[stream, c] : walk_capture(path).connections)
            for (const std::size_t direction : {0u, 1u})
                for (const auto &pdu : c.pdus[direction]) {
                    const HeaderView view(pdu.header);
                    for (const auto &f : fields)
                        if (f.has == nullptr || f.has(view))
                            found[std::to_string(stream) + (direction == 0 ? " > " : " < ") + f.tshark]
                                .push_back(f.value(view));
                }
        REQUIRE_FALSE(expected.empty());
        for (const auto &[key, list] : expected) {
            CAPTURE(key);
            values += list.size();
            CHECK(found[key] == list);
        }
        CHECK(found.size() == expected.size());
    }
    std::printf("%zu field values equal to tshark's\n", values);
}

// What the kernel target left out of its answer is settled by the offer; the configuration beside the
// capture says what was in force.
TEST_CASE("Logins of the captures") {
    const auto folder = capture_folder();
    if (!folder)
        return;
    const auto first_login = [&](const std::string &file) {
        const auto capture = walk_capture(*folder + "/" + file);
        REQUIRE_FALSE(capture.connections.empty());
        return capture.connections.begin()->second.login;
    };
    const auto b = first_login("b_write_4MiB_256K_5ms_r2t64k.ini.pcap.zst");
    CHECK(b.parameters.initial_r2t);
    CHECK_FALSE(b.parameters.immediate_data);
    CHECK(b.parameters.max_burst_length == 65536);
    const auto e = first_login("e_read_2MiB_digests.ini.pcap.zst");
    CHECK(e.parameters.header_digest_crc32c);
    CHECK(e.parameters.data_digest_crc32c);
    for (const auto &key : b.keys)
        std::printf("  %-26s initiator %-16s target %-16s in force %s\n", key.key.c_str(),
                    key.initiator.value_or("-").substr(0, 16).c_str(),
                    key.target.value_or("-").substr(0, 16).c_str(), key.in_force.c_str());
}
