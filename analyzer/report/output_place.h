// SPDX-License-Identifier: GPL-2.0-or-later
// Where an output file or folder goes: behind symbolic links, with the mode of what it replaces, and safely
// on the disk.
#pragma once

#include <optional>
#include <string>
#include <sys/stat.h>

namespace iscsiscope {

struct OutputPlace {
    std::string path;              // what the given path leads to, so that a symbolic link stays one
    std::string folder;            // the absolute path of its folder, with / at its end
    std::optional<struct stat> is; // what is there now; empty: nothing
    int error = 0;                 // errno value: the place cannot be used; the other fields are not valid
};

// Follows symbolic links, also one whose target does not exist yet.
OutputPlace find_output_place(const std::string &path);

// Gives a new file or folder owner and mode of the one that it replaces. Owner and group stay where the
// system does not allow the change; another group then gets no more rights than everybody had. A file that
// may set its user or group when it is run does not pass that on. Returns 0 or an errno value.
int copy_owner_and_mode(int descriptor, const struct stat &from);
// Gives a new file or folder that replaces none the mode that files and folders ordinarily get: until it is
// complete only its owner may read it. Returns 0 or an errno value.
int set_ordinary_mode(int descriptor);

// Returns when the content is on the disk: 0 or an errno value. File systems without such a request count as
// done.
int flush_to_disk(int descriptor);
// The same for the names in a folder. Errors are ignored: the content is safe under one name or the other.
void flush_folder(const std::string &folder);

} // namespace iscsiscope
