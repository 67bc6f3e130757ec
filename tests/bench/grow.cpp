// SPDX-License-Identifier: GPL-2.0-or-later
// Grows a large capture from small ones: copies of the inputs one after another, each shifted in time and
// with other initiator ports, so that every copy has connections of its own. With --abreast, so many copies
// of an input run at the same time and write each of its frames in turn. With --groups, the copies abreast
// are parted into so many groups, each of an input of its own: frames are merged by time, and a group that
// ends is followed by one of the next input. Output: pcap, nanoseconds. The last line says how many frames
// follow one of another copy.
//
//   grow [--snap BYTES] [--abreast N [--groups N]] [--copies N | --bytes N] OUT IN...
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
#include <queue>
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
    std::uint32_t groups = 1;
    std::string out;
    std::vector<const char *> in;
};

bool parse(int argc, char **argv, Options &options) {
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        if (argument == "--snap" || argument == "--copies" || argument == "--bytes" ||
            argument == "--abreast" || argument == "--groups") {
            if (++i == argc)
                return false;
            const std::uint64_t value = std::strtoull(argv[i], nullptr, 10);
            if (argument == "--snap")
                options.snap = static_cast<std::uint32_t>(value);
            else if (argument == "--abreast")
                options.abreast = static_cast<std::uint32_t>(value);
            else if (argument == "--groups")
                options.groups = static_cast<std::uint32_t>(value);
            else
                (argument == "--copies" ? options.copies : options.bytes) = value;
        } else if (options.out.empty()) {
            options.out = argument;
        } else {
            options.in.push_back(argv[i]);
        }
    }
    return !options.in.empty() && (options.copies > 0) != (options.bytes > 0) && options.snap >= 64 &&
           options.groups > 0 && options.groups <= options.abreast;
}

class Grower {
public:
    Grower(const Options &options, std::vector<SmallCapture> &small, std::FILE *file)
        : options_(options), small_(small), writer_(file, options.snap) {}

    void grow() {
        const std::uint64_t abreast = options_.abreast, groups = options_.groups;
        for (std::uint64_t i = 0; i < groups; ++i)
            begin_group(first_time, abreast * (i + 1) / groups - abreast * i / groups);
        while (writer_.good() && !running_.empty()) {
            Group group = running_.top();
            running_.pop();
            for (std::uint64_t copy = 0; copy < group.copies; ++copy)
                write_frame(group, copy);
            if (++group.frame < group.source->frames.size())
                running_.push(group);
            else
                begin_group(group.start + group.source->length_ns + pause_ns, group.copies);
        }
    }
    void print() const {
        const auto number = [](std::uint64_t n) { return static_cast<unsigned long long>(n); };
        std::printf("%s: %llu bytes, %llu copies, %llu connections, %llu frames, %llu of them after one of "
                    "another copy\n",
                    options_.out.c_str(), number(writer_.bytes()), number(copies_), number(connections_),
                    number(frames_), number(changes_));
    }
    bool good() const { return writer_.good(); }

private:
    static constexpr std::int64_t first_time = 1'700'000'000 * ns_per_second;
    static constexpr std::int64_t pause_ns =
        ns_per_second / 100; // from a group's end to the next one's begin

    // Copies of one input that run in step.
    struct Group {
        SmallCapture *source;
        std::uint64_t copies;
        std::int64_t start;
        std::uint64_t first_copy; // its number, in the order in which copies begin
        std::uint64_t first_connection;
        std::size_t frame = 0; // the next one

        std::int64_t time() const { return start + source->frames[frame].time_ns; }
        // The greatest of a priority_queue comes first: the earliest, of these the one that began first.
        bool operator<(const Group &other) const {
            return std::pair(time(), first_copy) > std::pair(other.time(), other.first_copy);
        }
    };

    // Once there are enough copies or bytes, nothing begins; what runs comes to its end.
    void begin_group(std::int64_t start, std::uint64_t copies) {
        if (options_.copies > 0 ? copies_ >= options_.copies * small_.size()
                                : writer_.bytes() >= options_.bytes)
            return;
        SmallCapture &source = small_[groups_++ % small_.size()];
        running_.push({&source, copies, start, copies_, connections_});
        copies_ += copies;
        connections_ += copies * source.connections;
    }
    void write_frame(const Group &group, std::uint64_t copy) {
        StoredFrame &frame = group.source->frames[group.frame];
        if (frame.ports_at != 0) {
            const std::uint64_t number =
                group.first_connection + copy * group.source->connections + frame.connection;
            const auto port = first_port + static_cast<std::uint32_t>(number % ports);
            const std::size_t at = frame.ports_at + (frame.source_is_initiator ? 0U : 2U);
            frame.data[at] = static_cast<std::uint8_t>(port >> 8);
            frame.data[at + 1] = static_cast<std::uint8_t>(port & 0xff);
        }
        writer_.write(group.time(), frame.original_length, frame.data);
        changes_ += frames_ > 0 && group.first_copy + copy != last_copy_ ? 1 : 0;
        last_copy_ = group.first_copy + copy;
        ++frames_;
    }

    const Options &options_;
    std::vector<SmallCapture> &small_;
    Writer writer_;
    std::priority_queue<Group> running_;
    std::uint64_t groups_ = 0, copies_ = 0, connections_ = 0, frames_ = 0, changes_ = 0, last_copy_ = 0;
};

} // namespace

int main(int argc, char **argv) {
    Options options;
    if (!parse(argc, argv, options)) {
        std::fprintf(
            stderr, "usage: grow [--snap BYTES] [--abreast N [--groups N]] --copies N|--bytes N OUT IN...\n");
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
    Grower grower(options, small, file);
    grower.grow();
    const bool good = std::fclose(file) == 0 && grower.good();
    if (!good) {
        std::perror(options.out.c_str());
        return 1;
    }
    grower.print();
    return 0;
}
