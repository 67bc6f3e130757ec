// SPDX-License-Identifier: GPL-2.0-or-later
// Grows a large capture from small ones: copies of the inputs one after another, each shifted in time and
// with other initiator ports, so that every copy has connections of its own. With --abreast, so many copies
// of an input run at the same time, their frames interleaved. Output: pcap, nanoseconds.
//
//   grow [--snap BYTES] [--abreast N] [--copies N | --bytes N] OUT IN...
//
// Inputs are what libpcap reads (pcap or pcapng, uncompressed), all Ethernet; only TCP over IPv4 (with or
// without one 802.1Q tag) is changed. Checksums are left as they are. Copies are whole: the file ends up
// a little larger than asked.
#include <pcap/pcap.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr std::int64_t ns_per_second = 1'000'000'000;
constexpr std::uint32_t first_port = 10'000; // above any port a target listens on here
constexpr std::uint32_t ports = 50'000;

struct StoredFrame {
    std::int64_t time_ns; // since the first frame of its capture
    std::uint32_t original_length;
    std::uint32_t ports_at; // offset of the TCP ports in data, 0 when there are none
    bool source_is_initiator;
    std::uint32_t connection; // which initiator port of the small capture, from 0
    std::vector<std::uint8_t> data;
};

struct SmallCapture {
    std::vector<StoredFrame> frames;
    std::uint32_t connections = 0;
    std::int64_t length_ns = 0;
};

std::uint32_t be16(const std::vector<std::uint8_t> &d, std::size_t at) {
    return static_cast<std::uint32_t>(d[at] << 8 | d[at + 1]);
}

// Offset of the TCP header's ports; 0 if the frame is not TCP over IPv4 with the ports in it.
std::uint32_t find_ports(const std::vector<std::uint8_t> &d) {
    std::size_t at = 12;
    if (d.size() < 18)
        return 0;
    if (be16(d, at) == 0x8100)
        at += 4;
    if (be16(d, at) != 0x0800 || d.size() < at + 2 + 20)
        return 0;
    const std::size_t ip = at + 2;
    const std::size_t tcp = ip + (d[ip] & 0x0fU) * 4U;
    const bool first_fragment = (be16(d, ip + 6) & 0x1fffU) == 0;
    return d[ip + 9] == 6 && first_fragment && d.size() >= tcp + 4 ? static_cast<std::uint32_t>(tcp) : 0;
}

bool load(const char *path, std::uint32_t snap, SmallCapture &out) {
    char error[PCAP_ERRBUF_SIZE];
    pcap_t *capture = pcap_open_offline_with_tstamp_precision(path, PCAP_TSTAMP_PRECISION_NANO, error);
    if (capture == nullptr) {
        std::fprintf(stderr, "grow: %s\n", error);
        return false;
    }
    if (pcap_datalink(capture) != DLT_EN10MB) {
        std::fprintf(stderr, "grow: %s: not Ethernet\n", path);
        pcap_close(capture);
        return false;
    }
    std::map<std::uint32_t, std::uint32_t> connection_of_port;
    std::int64_t first = 0;
    pcap_pkthdr *header = nullptr;
    const unsigned char *data = nullptr;
    while (pcap_next_ex(capture, &header, &data) == 1) {
        const std::int64_t time = header->ts.tv_sec * ns_per_second + header->ts.tv_usec;
        if (out.frames.empty())
            first = time;
        StoredFrame frame{};
        frame.time_ns = time - first;
        frame.original_length = header->len;
        frame.data.assign(data, data + std::min(header->caplen, snap));
        frame.ports_at = find_ports(frame.data);
        if (frame.ports_at != 0) {
            const std::uint32_t source = be16(frame.data, frame.ports_at);
            const std::uint32_t destination = be16(frame.data, frame.ports_at + 2);
            frame.source_is_initiator = source > destination; // initiators use ephemeral ports
            const auto next = static_cast<std::uint32_t>(connection_of_port.size());
            frame.connection =
                connection_of_port.try_emplace(std::max(source, destination), next).first->second;
        }
        out.length_ns = std::max(out.length_ns, frame.time_ns);
        out.frames.push_back(std::move(frame));
    }
    out.connections = static_cast<std::uint32_t>(connection_of_port.size());
    pcap_close(capture);
    if (out.frames.empty())
        std::fprintf(stderr, "grow: %s: no frames\n", path);
    return !out.frames.empty();
}

class Writer {
public:
    Writer(std::FILE *file, std::uint32_t snap) : file_(file) {
        const std::uint32_t header[6] = {0xa1b23c4d, 0x00040002, 0, 0, snap, 1};
        put(header, sizeof header);
    }
    void write(std::int64_t time, std::uint32_t original_length, const std::vector<std::uint8_t> &data) {
        const std::uint32_t record[4] = {static_cast<std::uint32_t>(time / ns_per_second),
                                         static_cast<std::uint32_t>(time % ns_per_second),
                                         static_cast<std::uint32_t>(data.size()), original_length};
        put(record, sizeof record);
        put(data.data(), data.size());
    }
    std::uint64_t bytes() const { return bytes_; }
    bool good() const { return good_; }

private:
    void put(const void *data, std::size_t size) {
        good_ = good_ && std::fwrite(data, 1, size, file_) == size;
        bytes_ += size;
    }
    std::FILE *file_;
    std::uint64_t bytes_ = 0;
    bool good_ = true;
};

struct Options {
    std::uint32_t snap = 262'144;
    std::uint64_t copies = 0; // of each input
    std::uint64_t bytes = 0;
    std::uint32_t abreast = 1;
    std::string out;
    std::vector<const char *> in;
};

bool parse(int argc, char **argv, Options &options) {
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        if (argument == "--snap" || argument == "--copies" || argument == "--bytes" ||
            argument == "--abreast") {
            if (++i == argc)
                return false;
            const std::uint64_t value = std::strtoull(argv[i], nullptr, 10);
            if (argument == "--snap")
                options.snap = static_cast<std::uint32_t>(value);
            else if (argument == "--abreast")
                options.abreast = static_cast<std::uint32_t>(value);
            else
                (argument == "--copies" ? options.copies : options.bytes) = value;
        } else if (options.out.empty()) {
            options.out = argument;
        } else {
            options.in.push_back(argv[i]);
        }
    }
    return !options.in.empty() && (options.copies > 0) != (options.bytes > 0) && options.snap >= 64 &&
           options.abreast > 0;
}

} // namespace

int main(int argc, char **argv) {
    Options options;
    if (!parse(argc, argv, options)) {
        std::fprintf(stderr, "usage: grow [--snap BYTES] [--abreast N] --copies N|--bytes N OUT IN...\n");
        return 2;
    }
    std::vector<SmallCapture> small(options.in.size());
    for (std::size_t i = 0; i < small.size(); ++i)
        if (!load(options.in[i], options.snap, small[i]))
            return 2;
    std::FILE *file = std::fopen(options.out.c_str(), "wb");
    if (file == nullptr) {
        std::perror(options.out.c_str());
        return 2;
    }
    Writer writer(file, options.snap);
    std::int64_t start = 1'700'000'000 * ns_per_second;
    std::uint64_t first_connection = 0, rounds = 0;
    while (writer.good() && (options.copies > 0 ? rounds * options.abreast < options.copies * small.size()
                                                : writer.bytes() < options.bytes)) {
        SmallCapture &source = small[rounds % small.size()];
        for (StoredFrame &frame : source.frames) {
            for (std::uint32_t copy = 0; copy < options.abreast; ++copy) {
                if (frame.ports_at != 0) {
                    const std::uint64_t number =
                        first_connection + copy * source.connections + frame.connection;
                    const auto port = first_port + static_cast<std::uint32_t>(number % ports);
                    const std::size_t at = frame.ports_at + (frame.source_is_initiator ? 0U : 2U);
                    frame.data[at] = static_cast<std::uint8_t>(port >> 8);
                    frame.data[at + 1] = static_cast<std::uint8_t>(port & 0xff);
                }
                writer.write(start + frame.time_ns, frame.original_length, frame.data);
            }
        }
        start += source.length_ns + ns_per_second / 100;
        first_connection += std::uint64_t{source.connections} * options.abreast;
        ++rounds;
    }
    const bool good = std::fclose(file) == 0 && writer.good();
    if (!good) {
        std::perror(options.out.c_str());
        return 1;
    }
    std::printf("%s: %llu bytes, %llu copies, %llu connections\n", options.out.c_str(),
                static_cast<unsigned long long>(writer.bytes()),
                static_cast<unsigned long long>(rounds * options.abreast),
                static_cast<unsigned long long>(first_connection));
    return 0;
}
