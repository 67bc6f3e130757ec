// SPDX-License-Identifier: GPL-2.0-or-later
// Tables and an index written as pages, as SQLite reads them.
#include "analyzer/report/tables/pages/sample_index.h"
#include "analyzer/report/tables/pages/table_writer.h"
#include "analyzer/report/tables/sqlite_file.h"
#include "catch.h"

#include <bit>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <sqlite3.h>
#include <string>
#include <vector>

using namespace iscsiscope;

namespace {

class Base {
public:
    Base() : path_(folder_name() / "base.db") { std::ofstream{path_}; }
    ~Base() {
        sqlite3_close(db_);
        std::filesystem::remove_all(path_.parent_path());
    }
    Base(const Base &) = delete;
    Base &operator=(const Base &) = delete;

    std::string path() const { return path_.string(); }
    // Runs statements; returns the pages on which these tables or indices begin.
    std::vector<PageNumber> execute(const std::string &sql, const std::vector<std::string> &names) {
        SqliteFile file(path(), "base");
        file.execute(sql);
        std::vector<PageNumber> roots;
        for (const std::string &name : names)
            roots.push_back(file.root_page(name));
        file.commit();
        file.close();
        REQUIRE(file.error().empty());
        return roots;
    }
    // All cells of all rows, each with its type.
    std::vector<std::string> ask(const std::string &sql) {
        if (db_ == nullptr)
            REQUIRE(sqlite3_open(path().c_str(), &db_) == SQLITE_OK);
        sqlite3_stmt *s = nullptr;
        REQUIRE(sqlite3_prepare_v2(db_, sql.c_str(), -1, &s, nullptr) == SQLITE_OK);
        std::vector<std::string> cells;
        while (sqlite3_step(s) == SQLITE_ROW) {
            for (int i = 0; i < sqlite3_column_count(s); ++i) {
                const int type = sqlite3_column_type(s, i); // before a conversion to text
                std::string cell = std::to_string(type) + ":";
                if (type == SQLITE_FLOAT)
                    cell += std::to_string(std::bit_cast<std::uint64_t>(sqlite3_column_double(s, i)));
                else if (const auto *text = static_cast<const char *>(sqlite3_column_blob(s, i)))
                    cell.append(text, static_cast<std::size_t>(sqlite3_column_bytes(s, i)));
                cells.push_back(std::move(cell));
            }
        }
        sqlite3_finalize(s);
        return cells;
    }

private:
    static std::filesystem::path folder_name() {
        std::string name = (std::filesystem::temp_directory_path() / "iscsiscope-pages.XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()) != nullptr);
        return name;
    }
    std::filesystem::path path_;
    sqlite3 *db_ = nullptr;
};

constexpr const char *create = "(i INTEGER, n INTEGER, r REAL, b INTEGER, t TEXT, u TEXT)";

struct Row {
    std::int64_t i;
    std::uint64_t n;
    double r;
    bool b;
    std::string t;
    bool known; // the last column
};

Row random_row(std::mt19937_64 &random, std::size_t longest) {
    std::string text(random() % (longest + 1), 'x');
    for (char &c : text)
        c = static_cast<char>('a' + random() % 26);
    const auto shift = random() % 64;
    return {static_cast<std::int64_t>(random()) >> shift,
            random() >> (1 + random() % 63),
            static_cast<double>(random()) / 1e6,
            random() % 2 == 0,
            std::move(text),
            random() % 2 == 0};
}

std::vector<Value> values(const Row &r) {
    return {Value::integer(r.i), Value::natural(r.n), Value::number(r.r),
            Value::boolean(r.b), Value::text(r.t),    r.known ? Value::text("known") : Value()};
}

std::string record_of(Record &record, const Row &r) {
    record.clear();
    for (const Value &v : values(r))
        record.add(v);
    return std::string(record.finish());
}

void insert(SqliteInsert &to, const Row &r) {
    to.bind(1, Cell(r.i));
    to.bind(2, Cell(r.n));
    to.bind(3, Cell(r.r));
    to.bind(4, Cell(r.b));
    to.bind(5, Cell(r.t));
    to.bind(6, r.known ? Cell(std::string("known")) : Cell());
    to.insert();
}

// Writes the rows by SQLite and as pages, and compares.
void check_rows(const std::vector<Row> &rows) {
    Base base;
    {
        SqliteFile file(base.path(), "base");
        file.execute(std::string("CREATE TABLE inserted ") + create);
        SqliteInsert to(file, "inserted", 6);
        for (const Row &r : rows)
            insert(to, r);
        REQUIRE(file.commit());
    }
    const auto roots = base.execute(std::string("CREATE TABLE written ") + create, {"written"});
    PageFile pages;
    pages.open(base.path());
    TableWriter writer(pages);
    Record record;
    for (const Row &r : rows)
        writer.add(record_of(record, r));
    writer.finish(roots[0]);
    pages.close();
    REQUIRE(pages.error() == 0);
    CHECK(base.ask("PRAGMA integrity_check") == std::vector<std::string>{"3:ok"});
    CHECK(base.ask("SELECT rowid, * FROM written") == base.ask("SELECT rowid, * FROM inserted"));
    CHECK(base.ask("SELECT max(rowid), count(*) FROM written") ==
          std::vector<std::string>{rows.empty() ? "5:" : "1:" + std::to_string(rows.size()),
                                   "1:" + std::to_string(rows.size())});
    base.ask("DELETE FROM written WHERE rowid % 3 = 0"); // SQLite goes on with the pages
    CHECK(base.ask("PRAGMA integrity_check") == std::vector<std::string>{"3:ok"});
}

} // namespace

TEST_CASE("rows written as pages are those that SQLite inserts") {
    std::mt19937_64 random(1);
    for (const std::size_t count : {0U, 1U, 2U, 30U, 200U, 3000U, 100'000U}) {
        std::vector<Row> rows;
        for (std::size_t i = 0; i < count; ++i)
            rows.push_back(random_row(random, 90));
        check_rows(rows);
    }
}

TEST_CASE("rows longer than a page are written as chains of pages") {
    std::mt19937_64 random(2);
    std::vector<Row> rows;
    for (std::size_t i = 0; i < 600; ++i)
        rows.push_back(random_row(random, i % 7 == 0 ? 40'000 : 100));
    for (std::size_t length = 3900; length < 4300; ++length) { // where a chain begins, at every length
        rows.push_back(random_row(random, 0));
        rows.back().t.assign(length, 'y');
    }
    for (std::size_t length = 8000; length < 8300; length += 3) {
        rows.push_back(random_row(random, 0));
        rows.back().t.assign(length, 'z');
    }
    check_rows(rows);
}

TEST_CASE("numbers at the limits are those that SQLite inserts") {
    std::vector<Row> rows;
    for (int shift = 0; shift < 64; ++shift) {
        for (const std::uint64_t near : {~std::uint64_t{0}, std::uint64_t{0}, std::uint64_t{1}}) { // -1, 0, 1
            const std::uint64_t v = (std::uint64_t{1} << shift) + near;
            rows.push_back({static_cast<std::int64_t>(v), 0, 0.0, false, "", false});
            rows.push_back(
                {static_cast<std::int64_t>(~v + 1), std::uint64_t{1} << shift, -0.5, true, "", true});
        }
    }
    rows.push_back({std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::uint64_t>::max(),
                    std::numeric_limits<double>::quiet_NaN(), false, "\xc3\xa9", false});
    rows.push_back({std::numeric_limits<std::int64_t>::max(), std::uint64_t{1} << 63,
                    std::numeric_limits<double>::infinity(), false, std::string("a\0b", 3), false});
    check_rows(rows);
}

TEST_CASE("the index written as pages is that which SQLite makes") {
    std::mt19937_64 random(3);
    for (const std::size_t count : {0U, 1U, 100U, 5000U, 6'000'000U}) {
        if (count > 5000 && std::getenv("ISCSISCOPE_LARGE") == nullptr)
            continue; // goes through the temporary file
        Base base;
        const auto table =
            base.execute("CREATE TABLE s (stream INTEGER, direction TEXT, time_ns INTEGER)", {"s"});
        const auto index = base.execute("CREATE INDEX s_time ON s(stream, direction, time_ns)", {"s_time"});
        PageFile pages;
        pages.open(base.path());
        TableWriter writer(pages);
        SampleIndex samples;
        Record record;
        std::int64_t now = 1'700'000'000'000'000'000;
        for (std::size_t i = 0; i < count; ++i) {
            now += static_cast<std::int64_t>(random() % 1000 == 0 ? 10'000'000'000 : random() % 50'000);
            const StreamId stream{random() % 300};
            const bool to_target = random() % 3 == 0;
            record.clear();
            record.add(to_value(stream));
            record.add_text(to_target ? "to_target" : "to_initiator");
            record.add_integer(now);
            samples.add(stream, to_target, now, writer.add(record.finish()));
        }
        CHECK(samples.in_order());
        writer.finish(table[0]);
        CHECK(samples.finish(pages, index[0]));
        pages.close();
        CHECK(base.ask("PRAGMA integrity_check") == std::vector<std::string>{"3:ok"});
        const auto by_index = base.ask("SELECT stream, direction, time_ns, rowid FROM s INDEXED BY s_time "
                                       "WHERE stream >= 0");
        CHECK(by_index.size() == 4 * count);
        CHECK(by_index == base.ask("SELECT stream, direction, time_ns, rowid FROM s NOT INDEXED "
                                   "ORDER BY stream, direction, time_ns, rowid"));
    }
}

TEST_CASE("entries that come out of order are left to SQLite") {
    SampleIndex samples;
    samples.add(1, true, 1000, 1);
    samples.add(1, false, 900, 2); // another direction
    samples.add(1, true, 1000, 3);
    CHECK(samples.in_order());
    samples.add(1, true, 999, 4);
    CHECK_FALSE(samples.in_order());
}

TEST_CASE("a page file that cannot be written says so") {
    PageFile pages;
    pages.open("/dev/null");
    CHECK(pages.error() != 0);
    PageBytes page{};
    pages.append(page); // nothing
    pages.close();
    CHECK(pages.error() != 0);
}
