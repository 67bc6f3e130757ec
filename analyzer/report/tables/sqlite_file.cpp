// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/tables/sqlite_file.h"

#include "analyzer/base/text/utf8.h"
#include "analyzer/report/tables/pages/page_file.h"

#include <fmt/format.h>
#include <limits>
#include <sqlite3.h>
#include <type_traits>

namespace iscsiscope {

SqliteFile::SqliteFile(const std::string &file, std::string shown) : shown_(std::move(shown)) {
    // The file exists already, so that it is this program's and nobody's link.
    sqlite3 *db = nullptr;
    const int code = sqlite3_open_v2(
        file.c_str(), &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_NOMUTEX, nullptr);
    db_.reset(db); // also if it could not be opened: it holds the reason
    check(code);
    // An unfinished file is removed when the program ends, so that no journal is needed.
    execute(fmt::format("PRAGMA page_size = {}; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; "
                        "PRAGMA locking_mode = EXCLUSIVE; BEGIN",
                        page_bytes));
}

void SqliteFile::Close::operator()(sqlite3 *db) const {
    sqlite3_close(db);
}

void SqliteFile::check(int code) {
    if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW || !error_.empty())
        return;
    // The system's error is added: "disk I/O error" does not state that the disk is full.
    const int system = db_ != nullptr ? sqlite3_system_errno(db_.get()) : 0;
    const char *words = code == SQLITE_FULL ? "no space left on the device"
                        : db_ != nullptr    ? sqlite3_errmsg(db_.get())
                                            : sqlite3_errstr(code);
    error_ = fmt::format("cannot write {}: {}", shown_, words);
    if (system != 0 && code != SQLITE_FULL)
        error_ += fmt::format(" ({})", std::generic_category().message(system));
}

void SqliteFile::execute(const std::string &sql) {
    if (ok())
        check(sqlite3_exec(db_.get(), sql.c_str(), nullptr, nullptr, nullptr));
}

std::uint32_t SqliteFile::root_page(const std::string &name) {
    sqlite3_stmt *statement = nullptr;
    if (ok())
        check(sqlite3_prepare_v2(db_.get(), "SELECT rootpage FROM sqlite_master WHERE name = ?", -1,
                                 &statement, nullptr));
    std::uint32_t page = 0;
    if (ok()) {
        check(sqlite3_bind_text(statement, 1, name.c_str(), -1, SQLITE_STATIC));
        const int code = sqlite3_step(statement);
        check(code);
        if (code == SQLITE_ROW)
            page = static_cast<std::uint32_t>(sqlite3_column_int64(statement, 0));
    }
    sqlite3_finalize(statement);
    return page;
}

bool SqliteFile::commit() {
    execute("COMMIT");
    return ok();
}

void SqliteFile::close() {
    db_.reset();
}

SqliteInsert::SqliteInsert(SqliteFile &file, const std::string &table, std::size_t columns) : file_(file) {
    std::string sql = fmt::format("INSERT INTO \"{}\" VALUES (", table);
    for (std::size_t i = 0; i < columns; ++i)
        sql += i == 0 ? "?" : ",?";
    if (file_.ok())
        file_.check(sqlite3_prepare_v2(file_.db_.get(), (sql + ")").c_str(), -1, &statement_, nullptr));
}

SqliteInsert::~SqliteInsert() {
    sqlite3_finalize(statement_);
}

namespace {

// Integers from 2^63 on do not fit SQLite's integers: of such a text a column of integers makes a real
// number, and one without a type keeps it.
int bind_natural(sqlite3_stmt *s, int column, std::uint64_t v) {
    if (v <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        return sqlite3_bind_int64(s, column, static_cast<std::int64_t>(v));
    const std::string text = std::to_string(v);
    return sqlite3_bind_text(s, column, text.c_str(), -1, SQLITE_TRANSIENT);
}

// SQLite takes any bytes as text, but its functions and those who read the file expect UTF-8.
int bind_text(sqlite3_stmt *s, int column, std::string_view v) {
    if (!is_utf8(v))
        return bind_text(s, column, utf8_text(v));
    return sqlite3_bind_text(s, column, v.data(), static_cast<int>(v.size()), SQLITE_TRANSIENT);
}

} // namespace

void SqliteInsert::bind(int column, const Cell &c) {
    if (!file_.ok())
        return;
    file_.check(std::visit(
        [&](const auto &v) {
            using T = std::decay_t<decltype(v)>;
            if constexpr (std::is_same_v<T, std::monostate>)
                return sqlite3_bind_null(statement_, column);
            else if constexpr (std::is_same_v<T, bool>)
                return sqlite3_bind_int(statement_, column, v ? 1 : 0);
            else if constexpr (std::is_same_v<T, std::int64_t>)
                return sqlite3_bind_int64(statement_, column, v);
            else if constexpr (std::is_same_v<T, std::uint64_t>)
                return bind_natural(statement_, column, v);
            else if constexpr (std::is_same_v<T, double>)
                return sqlite3_bind_double(statement_, column, v);
            else
                return bind_text(statement_, column, v);
        },
        c));
}

void SqliteInsert::insert() {
    if (file_.ok()) {
        file_.check(sqlite3_step(statement_));
        sqlite3_reset(statement_);
    }
}

} // namespace iscsiscope
