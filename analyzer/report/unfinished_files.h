// SPDX-License-Identifier: GPL-2.0-or-later
// UnfinishedFiles: creates the files and folders that hold output until it is complete, and removes them if a
// signal ends the program.
#pragma once

#include <mutex>
#include <set>
#include <string>

namespace iscsiscope {

// Thread-safe. Functions that return int return 0 or the errno value of what failed. After remove_all() all
// of them fail with ECANCELED, so that nothing appears while the program ends.
class UnfinishedFiles {
public:
    // Creates an empty file, or a folder, of a random name in `folder` ("" is the current one), which no
    // other process can know before or have prepared as a link, and only this user can read. `made`
    // becomes its path.
    int create_file(const std::string &folder, std::string &made, int &descriptor);
    int create_folder(const std::string &folder, std::string &made);
    // Creates an empty file, or a folder, of that name, which must not exist. The folder stays if whole files
    // are in it.
    int create_named(const std::string &path, int &descriptor);
    int create_named_folder(const std::string &path);
    // Gives a file its final name, in place of the file that has it.
    int rename_file(const std::string &temporary, const std::string &path);
    // Gives a folder its final name in one step. A folder that has the name must hold only files whose names
    // are in the new one too, and is removed; otherwise the result is ENOTEMPTY.
    int rename_folder(const std::string &temporary, const std::string &path);
    // Removes a file that will not be completed.
    void remove_file(const std::string &path);
    // Removes a folder that will not be completed, with the files created in it.
    void remove_folder(const std::string &path);
    // Removes all listed files, then the listed folders.
    void remove_all();

private:
    template <class Create>
    int create(const std::string &path, Create create_it);
    // Of the listed folder and the files in it; the mutex is held.
    void forget_below(const std::string &folder);
    void remove_below(const std::string &folder);

    std::mutex mutex_;
    std::set<std::string> paths_;
    bool ended_ = false;
};

} // namespace iscsiscope
