// SPDX-License-Identifier: GPL-2.0-or-later
// The bytes of a logical unit. Stores take no time of their own: service/ models how long an access
// lasts. One thread at a time.
#pragma once

#include "analyzer/base/result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace iscsiscope::testbed {

class Store {
public:
    virtual ~Store() = default;

    virtual std::uint64_t size() const = 0; // bytes

    // offset + length ≤ size(), checked by the caller. False: the medium failed.
    virtual bool read(std::uint64_t offset, std::span<std::byte>) = 0;
    virtual bool write(std::uint64_t offset, std::span<const std::byte>) = 0;
    // The bytes read as zero from now on, and their space may be given back.
    virtual bool discard(std::uint64_t offset, std::uint64_t length) = 0;
    virtual bool flush() = 0;
};

// Zeroed memory, taken from the system only where it is written. A failure
// where there is not so much address space.
Result<std::unique_ptr<Store>> make_memory_store(std::uint64_t size);

// A regular file or block device. create_size other than 0: the file is made (sparse) with that size
// where it does not exist. Unless read_only, it is locked: a second writer is a failure.
Result<std::unique_ptr<Store>> open_file_store(const std::string &path, std::uint64_t create_size,
                                               bool read_only);

} // namespace iscsiscope::testbed
