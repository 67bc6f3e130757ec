// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/cli/files/file_hash.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <nettle/sha2.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace iscsiscope::cli {

namespace {

Failure not_regular(const std::string &path) {
    return {fmt::format(
        "{}: --hash needs a regular file: the capture is read first and its bytes again for the hash", path)};
}

} // namespace

std::string not_hashable(const std::string &path) {
    struct stat st {};
    return ::stat(path.c_str(), &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)
               ? not_regular(path).message
               : "";
}

Result<std::string> file_sha256(const std::string &path) {
    // Without O_NONBLOCK the opening of a pipe would wait for a writer.
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
        return Failure{fmt::format("{}: {}", path, std::strerror(errno))};
    struct stat st {};
    const auto close = [](std::FILE *f) { std::fclose(f); };
    const std::unique_ptr<std::FILE, decltype(close)> file(::fdopen(descriptor, "rb"), close);
    if (!file) {
        ::close(descriptor);
        return Failure{fmt::format("{}: not enough memory to read it for --hash", path)};
    }
    if (::fstat(descriptor, &st) != 0 || !S_ISREG(st.st_mode))
        return not_regular(path);
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
