// SPDX-License-Identifier: GPL-2.0-or-later
// Has a buffer on the stack and a copy whose length the compiler does not know: both must be guarded.
#include <cstdio>
#include <cstring>

int main(int argc, char **argv) {
    char buffer[64];
    std::memset(buffer, 0, sizeof buffer);
    std::memcpy(buffer, argv[0], std::strlen(argv[argc - 1]));
    std::printf("%s\n", buffer);
    return 0;
}
