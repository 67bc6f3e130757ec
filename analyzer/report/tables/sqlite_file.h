// SPDX-License-Identifier: GPL-2.0-or-later
// SqliteFile: writes to a database in one transaction. The first error is kept; later calls then do nothing.
#pragma once

#include "analyzer/report/tables/summary_tables.h"

#include <memory>
#include <string>

struct sqlite3;
struct sqlite3_stmt;

namespace iscsiscope {

class SqliteFile {
public:
    // Writes to an empty file, or to one that was closed. Its path must be absolute and without links. shown:
    // its name in messages.
    SqliteFile(const std::string &file, std::string shown);
    // The destructor rolls back if commit() was not called.
    SqliteFile(const SqliteFile &) = delete;
    SqliteFile &operator=(const SqliteFile &) = delete;

    bool ok() const { return error_.empty(); }
    const std::string &error() const { return error_; } // a sentence
    void execute(const std::string &sql);
    // The page on which a table or an index begins; 0 on an error.
    std::uint32_t root_page(const std::string &name);
    bool commit();
    void close();

private:
    friend class SqliteInsert;
    void check(int code); // keeps the message if it is an error

    struct Close {
        void operator()(sqlite3 *) const;
    };

    std::string shown_;
    std::unique_ptr<sqlite3, Close> db_;
    std::string error_;
};

// Inserts rows into one table. Must not outlive the file.
class SqliteInsert {
public:
    SqliteInsert(SqliteFile &, const std::string &table, std::size_t columns);
    ~SqliteInsert();
    SqliteInsert(const SqliteInsert &) = delete;
    SqliteInsert &operator=(const SqliteInsert &) = delete;

    void bind(int column, const Cell &); // from 1
    void insert();                       // inserts the bound cells and clears them

private:
    SqliteFile &file_;
    sqlite3_stmt *statement_ = nullptr;
};

} // namespace iscsiscope
