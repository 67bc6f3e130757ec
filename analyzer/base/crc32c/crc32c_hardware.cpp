// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/base/crc32c/crc32c_hardware.h"

#include "analyzer/base/crc32c/crc32c_polynomial.h"

#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#include <wmmintrin.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <arm_acle.h>
#include <sys/auxv.h>
#endif

namespace iscsiscope::crc32c_detail {

#if defined(__x86_64__)
namespace {

std::uint64_t load(const std::byte *p) {
    std::uint64_t v;
    std::memcpy(&v, p, sizeof v);
    return v;
}

// The register after `n` further zero bytes, with factor = x^(8n - 33). The carry-less product of two
// reflected 32-bit values, taken as a reflected 64-bit value, has an additional factor x, and the instruction
// multiplies by x^32 and reduces: x^33 in all.
__attribute__((target("sse4.2,pclmul"))) std::uint32_t shifted(std::uint32_t crc, std::uint32_t factor) {
    const __m128i product = _mm_clmulepi64_si128(_mm_cvtsi32_si128(static_cast<int>(crc)),
                                                 _mm_cvtsi32_si128(static_cast<int>(factor)), 0);
    return static_cast<std::uint32_t>(
        _mm_crc32_u64(0, static_cast<unsigned long long>(_mm_cvtsi128_si64(product))));
}

// The instruction has a latency of three cycles and a throughput of one per cycle, so three neighbouring
// blocks are computed side by side and combined at the end.
template <std::size_t block>
__attribute__((target("sse4.2,pclmul"))) void three_blocks(std::uint32_t &crc, const std::byte *&p,
                                                           std::size_t &length) {
    static_assert(block % 8 == 0);
    constexpr std::uint32_t by_one = power_of_x(8 * block - 33);
    constexpr std::uint32_t by_two = power_of_x(16 * block - 33);
    while (length >= 3 * block) {
        std::uint64_t a = crc, b = 0, c = 0;
        for (std::size_t i = 0; i < block; i += 8) {
            a = _mm_crc32_u64(a, load(p + i));
            b = _mm_crc32_u64(b, load(p + block + i));
            c = _mm_crc32_u64(c, load(p + 2 * block + i));
        }
        crc = shifted(static_cast<std::uint32_t>(a), by_two) ^
              shifted(static_cast<std::uint32_t>(b), by_one) ^ static_cast<std::uint32_t>(c);
        p += 3 * block;
        length -= 3 * block;
    }
}

__attribute__((target("sse4.2,pclmul"))) std::uint32_t update_sse42(std::uint32_t crc, const std::byte *p,
                                                                    std::size_t length) {
    three_blocks<1024>(crc, p, length);
    three_blocks<64>(crc, p, length);
    std::uint64_t wide = crc;
    for (; length >= 8; length -= 8, p += 8)
        wide = _mm_crc32_u64(wide, load(p));
    crc = static_cast<std::uint32_t>(wide);
    for (; length != 0; --length, ++p)
        crc = _mm_crc32_u8(crc, std::to_integer<unsigned char>(*p));
    return crc;
}

} // namespace

Hardware find_hardware() {
    if (__builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul"))
        return {update_sse42, "sse4.2"};
    return {};
}

#elif defined(__aarch64__) && defined(__linux__)
namespace {

__attribute__((target("+crc"))) std::uint32_t update_armv8(std::uint32_t crc, const std::byte *p,
                                                           std::size_t length) {
    for (; length >= 8; length -= 8, p += 8) {
        std::uint64_t v;
        std::memcpy(&v, p, sizeof v);
        crc = __crc32cd(crc, v);
    }
    for (; length != 0; --length, ++p)
        crc = __crc32cb(crc, std::to_integer<std::uint8_t>(*p));
    return crc;
}

constexpr unsigned long hwcap_crc32 = 1ul << 7; // HWCAP_CRC32 of <asm/hwcap.h>

} // namespace

Hardware find_hardware() {
    if ((getauxval(AT_HWCAP) & hwcap_crc32) != 0)
        return {update_armv8, "armv8"};
    return {};
}

#else

Hardware find_hardware() {
    return {};
}

#endif

} // namespace iscsiscope::crc32c_detail
