// SPDX-License-Identifier: GPL-2.0-or-later
// The yardstick of the benchmarks: a bare pcap_next_ex loop over a capture. Prints frames and bytes, so
// that the loop has a result.
#include <pcap/pcap.h>

#include <cstdint>
#include <cstdio>

int main(int argc, char **argv) {
    if (argc != 2) {
        std::fprintf(stderr, "usage: bare_loop CAPTURE\n");
        return 2;
    }
    char error[PCAP_ERRBUF_SIZE];
    pcap_t *capture = pcap_open_offline_with_tstamp_precision(argv[1], PCAP_TSTAMP_PRECISION_NANO, error);
    if (capture == nullptr) {
        std::fprintf(stderr, "bare_loop: %s\n", error);
        return 2;
    }
    std::uint64_t frames = 0, bytes = 0;
    pcap_pkthdr *header = nullptr;
    const unsigned char *data = nullptr;
    int result = 0;
    while ((result = pcap_next_ex(capture, &header, &data)) == 1) {
        ++frames;
        bytes += header->len;
    }
    if (result != PCAP_ERROR_BREAK)
        std::fprintf(stderr, "bare_loop: %s\n", pcap_geterr(capture));
    pcap_close(capture);
    std::printf("%llu frames, %llu bytes\n", static_cast<unsigned long long>(frames),
                static_cast<unsigned long long>(bytes));
    return result == PCAP_ERROR_BREAK ? 0 : 1;
}
