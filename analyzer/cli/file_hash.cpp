// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cli/file_hash.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <nettle/sha2.h>
#include <vector>

namespace iscsiscope::cli {

Result<std::string> file_sha256(const std::string &path) {
    const auto close = [](std::FILE *f) { std::fclose(f); };
    const std::unique_ptr<std::FILE, decltype(close)> file(std::fopen(path.c_str(), "rb"), close);
    if (!file)
        return Failure{fmt::format("{}: {}", path, std::strerror(errno))};
    sha256_ctx context;
    sha256_init(&context);
    std::vector<std::uint8_t> buffer(std::size_t{1} << 18);
    while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), file.get()))
        sha256_update(&context, n, buffer.data());
    if (std::ferror(file.get()) != 0)
        return Failure{fmt::format("{}: cannot be read to its end for --hash", path)};
    std::array<std::uint8_t, SHA256_DIGEST_SIZE> digest{};
    sha256_digest(&context, digest.size(), digest.data());
    std::string hex;
    for (const std::uint8_t b : digest)
        hex += fmt::format("{:02x}", b);
    return hex;
}

} // namespace iscsiscope::cli
