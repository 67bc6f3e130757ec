// SPDX-License-Identifier: GPL-2.0-or-later
// The column names are a contract with the user: written out here once more, on purpose.
#include "analyzer/iscsi/scsi/sense.h"
#include "analyzer/query/row_sink.h"
#include "analyzer/report/tables/row_writer.h"
#include "catch.h"
#include "synthetic.h"

#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <sstream>
#include <unistd.h>

using namespace iscsiscope;

namespace {

std::string names(const Table &t) {
    std::string s;
    for (const Column &c : t.columns)
        s += (s.empty() ? "" : ",") + std::string(c.name);
    return s;
}

std::string csv(const Value &v) {
    fmt::memory_buffer b;
    append_csv(b, v);
    return fmt::to_string(b);
}

std::string json(const Value &v) {
    fmt::memory_buffer b;
    append_json(b, v);
    return fmt::to_string(b);
}

std::string cell(const Table &t, std::string_view column, const void *row) {
    Scratch s;
    return csv(t.find(column)->get(row, s));
}

// What a writer puts into a file.
template <class Fill>
std::string written(RowFormat format, const Table &t, std::string_view columns, Fill fill) {
    const std::string path = fmt::format("/tmp/iscsiscope-test-rows-{}.out", ::getpid());
    UnfinishedFiles unfinished;
    {
        OutputFile out(path, unfinished);
        RowWriter w(format, choose_columns(t, columns).value(), out);
        w.header();
        fill(w);
        w.flush();
        REQUIRE(out.commit());
    }
    std::ifstream in(path);
    std::stringstream text;
    text << in.rdbuf();
    ::unlink(path.c_str());
    return text.str();
}

} // namespace

TEST_CASE("columns are those of the contract, in its order") {
    // More may be added behind; what is here may not move.
    const std::map<const Table *, std::string> contract = {
        {&pdu_table(),
         "frame,last_frame,delivered_frame,stream,direction,time_ns,complete_ns,delivered_ns,opcode,opcode_"
         "name,"
         "final,itt,ttt,lun,ahs_length,data_length,header_digest,data_digest,cmd_sn,stat_sn,exp_stat_sn,"
         "exp_cmd_sn,max_cmd_sn,data_sn,buffer_offset,desired_length,edtl,status_bit,status,response,cdb,cut_"
         "bytes,"
         "unseen_bytes"},
        {&cycle_table(),
         "cycle,session,stream,cid,itt,cmd_sn,type,opcode,lun,lba,blocks,bytes_expected,bytes_moved,residual,"
         "command_frame,first_data_frame,last_data_frame,status_frame,end_frame,start_ns,command_ns,"
         "first_data_wait_ns,data_ns,unsolicited_ns,r2t_wait_ns,burst_response_ns,burst_data_ns,status_wait_"
         "ns,"
         "next_command_wait_ns,response_time_ns,cycle_time_ns,target_service_ns,idle_ns,idle_gaps,r2t_count,"
         "data_pdus,retransmitted_segments,queue_depth,session_depth,outcome,status,sense,complete,"
         "lost_beyond_tap,cut_bytes,unseen_bytes"},
        {&burst_table(),
         "cycle,stream,burst,r2t_sn,ttt,offset,desired_bytes,sent_bytes,pdus,r2t_frame,first_frame,"
         "last_frame,r2t_wait_ns,burst_response_ns,burst_data_ns,final_seen"},
        {&gap_table(), "stream,cycle,start_ns,length_ns,kind,before_frame,after_frame"},
        {&connection_table(),
         "stream,session,cid,initiator_address,initiator_port,target_address,target_port,initiator_name,"
         "target_name,first_frame,last_frame,start_ns,end_ns,bytes_to_target,bytes_to_initiator,tasks,"
         "capture_position,rtt_to_initiator_ns,rtt_to_target_ns,outcome,capture_position_low,"
         "capture_position_high"},
        {&tcp_table(),
         "stream,direction,frame,time_ns,flight_bytes,cwnd_bytes,cwnd_low_bytes,cwnd_high_bytes,state,"
         "limit,receive_window_bytes,rtt_ns,mss"},
    };
    for (const auto &[table, expected] : contract) {
        INFO(table->name);
        CHECK(names(*table).substr(0, expected.size()) == expected);
        CHECK(find_table(table->name) == table);
        for (const Column &c : table->columns) {
            const bool time = c.unit == Unit::time || c.unit == Unit::instant;
            CHECK(time == c.name.ends_with("_ns"));
        }
    }
}

TEST_CASE("cells of a cycle") {
    CycleRecord r = synthetic::read_cycle(3, 0, 40);
    const Table &t = cycle_table();
    CHECK(cell(t, "type", &r) == "read");
    CHECK(cell(t, "first_data_wait_ns", &r) == "40000");
    CHECK(cell(t, "response_time_ns", &r) == "80000");
    CHECK(cell(t, "complete", &r) == "true");
    CHECK(cell(t, "cid", &r).empty());
    CHECK(cell(t, "sense", &r).empty());
    r.sense = 0x052400;
    r.lun = 0x0003000000000000;
    CHECK(cell(t, "sense", &r) == "5h/24h/00h"); // 05/24/00 is a date to many programs
    r.sense = 0x050000 | sense_code_cut;
    CHECK(cell(t, "sense", &r) == "5h"); // a code that is not known is not shown as 00/00
    CHECK(cell(t, "lun", &r) == "3");
    r.lun = 0xc101000000000000; // REPORT LUNS well-known logical unit: no number
    CHECK(cell(t, "lun", &r) == "0xc101000000000000");
    CHECK(cell(t, "command", &r) == "READ(10)");
    r.opcode = 0xc1; // of a vendor
    CHECK(cell(t, "command", &r) == "opcode 0xc1");
    r.opcode = 0x9e;
    r.service_action = 0x10;
    CHECK(cell(t, "command", &r) == "READ CAPACITY(16)");
    r.opcode.reset(); // the CDB is not in the file
    CHECK(cell(t, "command", &r).empty());
    r.has_phases = false;
    r.command_frame.reset();
    CHECK(cell(t, "first_data_wait_ns", &r).empty());
    CHECK(cell(t, "queue_depth", &r).empty());
    CHECK(cell(t, "command_frame", &r).empty());
}

TEST_CASE("cells of a PDU are those that its opcode has") {
    PduRecord row{.connection = std::make_shared<ConnectionFace>(),
                  .pdu = {},
                  .rtt_to_initiator = {},
                  .rtt_to_target = {}};
    Pdu &p = row.pdu;
    p.frame = p.last_frame = p.delivered_frame = 7;
    p.direction = PduDirection::to_target;
    const Table &t = pdu_table();
    p.header[0] = std::byte{0x41}; // SCSI Command, immediate
    p.header[1] = std::byte{0xc0};
    p.header[23] = std::byte{200}; // expected length
    p.header[32] = std::byte{0x28};
    CHECK(cell(t, "opcode", &row) == "1");
    CHECK(cell(t, "opcode_name", &row) == "SCSI Command");
    CHECK(cell(t, "final", &row) == "true");
    CHECK(cell(t, "edtl", &row) == "200");
    CHECK(cell(t, "cdb", &row) == "28000000000000000000000000000000");
    CHECK(cell(t, "stat_sn", &row).empty());
    CHECK(cell(t, "status_bit", &row).empty());
    // A READ(32) has the rest of its CDB in an additional header segment: length 17, type 1.
    std::array<std::byte, 20> ahs{};
    ahs[1] = std::byte{17};
    ahs[2] = std::byte{1};
    ahs[4] = std::byte{0xab};
    p.ahs = ahs;
    CHECK(cell(t, "cdb", &row) == "28000000000000000000000000000000"
                                  "ab000000000000000000000000000000");
    p.header[0] = std::byte{0x31}; // R2T
    p.header[47] = std::byte{64};
    CHECK(cell(t, "desired_length", &row) == "64");
    CHECK(cell(t, "edtl", &row).empty());
    CHECK(cell(t, "cdb", &row).empty());
    CHECK(cell(t, "data_sn", &row) == "0");
}

TEST_CASE("every value of a column has the column's type") {
    Scratch s;
    CycleRecord r = synthetic::read_cycle(3, 0, 40);
    r.lun = 0x0003000000000000;
    const auto check = [&](const Table &t, const void *row) {
        for (const Column &c : t.columns) {
            INFO(t.name << "." << c.name);
            const Value v = c.get(row, s);
            CHECK((!v.known() || v.type() == c.type));
        }
    };
    check(cycle_table(), &r);
    CHECK(cycle_table().find("lun")->type == ValueType::text);
    CHECK(json(cycle_table().find("lun")->get(&r, s)) == "\"3\"");
    PduRecord row{.connection = std::make_shared<ConnectionFace>(),
                  .pdu = {},
                  .rtt_to_initiator = {},
                  .rtt_to_target = {}};
    Pdu &p = row.pdu;
    p.direction = PduDirection::to_target;
    p.header[0] = std::byte{1};
    p.header[9] = std::byte{7};
    check(pdu_table(), &row);
    CHECK(pdu_table().find("lun")->type == ValueType::text);
    CHECK(json(pdu_table().find("lun")->get(&row, s)) == "\"7\"");
    const GapRecord g = synthetic::gap(5, 250, GapKind::target_r2t, 17);
    check(gap_table(), &g);
}

TEST_CASE("CSV quoting is that of RFC 4180") {
    CHECK(csv(Value::text("plain")) == "plain");
    CHECK(csv(Value::text("a,b")) == "\"a,b\"");
    CHECK(csv(Value::text("say \"hi\"")) == "\"say \"\"hi\"\"\"");
    CHECK(csv(Value::text("two\nlines")) == "\"two\nlines\"");
    CHECK(csv(Value{}).empty());
    CHECK(csv(Value::natural(18446744073709551615u)) == "18446744073709551615");
    CHECK(csv(Value::integer(-5)) == "-5");
    CHECK(csv(Value::boolean(false)) == "false");
    // A reader takes the type of a column from its cells: 0 would be an integer.
    CHECK(csv(Value::number(0.0)) == "0.0");
    CHECK(csv(Value::number(0.25)) == "0.25");
    CHECK(json(Value::number(1.0)) == "1.0");
}

TEST_CASE("JSON and CSV escape what is no UTF-8, JSON what it forbids") {
    CHECK(json(Value{}) == "null");
    CHECK(json(Value::text("a\"b\\c\n\x01")) == "\"a\\\"b\\\\c\\u000a\\u0001\"");
    CHECK(json(Value::text("µ")) == "\"µ\"");
    CHECK(json(Value::text("x\xff\xc3")) == R"("x\\xFF\\xC3")");
    CHECK(json(Value::text("\xed\xa0\x80")) == R"("\\xED\\xA0\\x80")"); // a surrogate
    CHECK(csv(Value::text("µ,\xff")) == R"("µ,\xFF")");
}

TEST_CASE("rows as CSV and as JSON Lines") {
    GapRecord g = synthetic::gap(5, 250, GapKind::target_r2t, 17);
    g.cycle = CycleId{4};
    const auto fill = [&](RowWriter &w) { w.row(&g); };
    CHECK(written(RowFormat::csv, gap_table(), "", fill) ==
          "stream,cycle,start_ns,length_ns,kind,before_frame,after_frame,proof,path_ns,end_ns,unasked_ns,end_"
          "owner\r\n"
          "0,4,1700000000000005000,250000,target_r2t,17,18,,0,0,0,unknown\r\n");
    g.cycle.reset();
    g.after_frame.reset();
    CHECK(written(RowFormat::jsonl, gap_table(), "kind,cycle,after_frame", fill) ==
          "{\"kind\":\"target_r2t\",\"cycle\":null,\"after_frame\":null}\n");
    const auto wrong = choose_columns(gap_table(), "kind,lenght_ns");
    REQUIRE_FALSE(wrong.ok());
    CHECK(wrong.failure().message.find("did you mean length_ns?") != std::string::npos);
}

TEST_CASE("a range keeps cycles by their end and gaps by their overlap") {
    TimeRange range = TimeRange::parse("0.0001..0.0003").value();
    range.anchor(synthetic::at_us(0));
    const auto count = [&](const Table &t, std::string_view column) {
        return written(RowFormat::csv, t, column, [&](RowWriter &w) {
            const auto sink = make_row_sink(t, {&range, nullptr}, w);
            synthetic::feed(*sink);
        });
    };
    CHECK(count(cycle_table(), "cycle") == "cycle\r\n1\r\n2\r\n"); // cycle n ends at 100 n + 80 µs
    CHECK(count(gap_table(), "before_frame") == "before_frame\r\n11\r\n21\r\n");
    CHECK_FALSE(TimeRange::parse("5").ok());
    CHECK_FALSE(TimeRange::parse("5..2").ok());
    CHECK_FALSE(TimeRange::parse("x..2").ok());
    TimeRange dates = TimeRange::parse("2023-11-14T22:13:20Z..1700000001.5").value();
    dates.anchor(Time{});
    CHECK(to_ns(dates.begin()) == 1'700'000'000'000'000'000);
    CHECK(to_ns(dates.end()) == 1'700'000'001'500'000'000);
}

TEST_CASE("text that a spreadsheet would calculate is made harmless, numbers are not touched") {
    for (const std::string begin : {"=", "+", "-", "@", "\t", "\r", "\n"}) {
        const std::string text = begin + "cmd|' /C calc'!A0";
        CHECK(csv(Value::text(text)) == "\"'" + text + "\"");
        CHECK(json(Value::text(text)).find('\'' + begin) == std::string::npos);
    }
    CHECK(csv(Value::text("=a,\"b\"")) == "\"'=a,\"\"b\"\"\"");
    CHECK(csv(Value::text("iqn.2001-04.com.example:a=b")) == "iqn.2001-04.com.example:a=b");
    CHECK(csv(Value::text("'=1")) == "'=1");
    CHECK(csv(Value::text("")).empty());
    CHECK(csv(Value::integer(-5)) == "-5");
    CHECK(csv(Value::number(-0.5)) == "-0.5");
}

TEST_CASE("an output file is whole or absent") {
    const std::string path = fmt::format("/tmp/iscsiscope-test-output-{}", ::getpid());
    UnfinishedFiles unfinished;
    {
        OutputFile out(path, unfinished);
        out.write("half");
    }
    CHECK(::access(path.c_str(), F_OK) != 0);
    {
        OutputFile out(path, unfinished);
        out.write("whole");
        CHECK(out.commit());
    }
    CHECK(::access(path.c_str(), F_OK) == 0);
    ::unlink(path.c_str());
    OutputFile full("/dev/full", unfinished);
    full.write("no room");
    CHECK_FALSE(full.commit());
    CHECK(full.error().find("/dev/full") != std::string::npos);
    OutputFile nowhere("/nonexistent/folder/file", unfinished);
    CHECK_FALSE(nowhere.ok());
}
