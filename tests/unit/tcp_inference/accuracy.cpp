// SPDX-License-Identifier: GPL-2.0-or-later
// tcp_accuracy TRUTH SENDER_CAPTURE [CAPTURE…]: the table of the congestion window's errors, a row a
// capture. TRUTH is NAME.truth.jsonl or a .tcpinfo.txt; SENDER_CAPTURE was taken at the data's sender and
// gives the times of sending for the captures taken elsewhere. --target: the target sends (Reads),
// --initiator: the initiator does (Writes, the default).
// --no-timestamps: as if neither end used them.
#include "comparison.h"
#include "table.h"

#include <cstdio>
#include <cstring>

int main(int argc, char **argv) {
    using namespace iscsiscope::test;
    bool without_timestamps = false;
    std::string side = "initiator";
    std::vector<std::string> files;
    for (int i = 1; i < argc; ++i)
        if (std::strcmp(argv[i], "--no-timestamps") == 0)
            without_timestamps = true;
        else if (std::strcmp(argv[i], "--target") == 0 || std::strcmp(argv[i], "--initiator") == 0)
            side = argv[i] + 2;
        else
            files.emplace_back(argv[i]);
    if (files.size() < 2) {
        std::fprintf(stderr, "usage: tcp_accuracy [--target|--initiator] [--no-timestamps] TRUTH "
                             "SENDER_CAPTURE [CAPTURE...]\n");
        return 2;
    }
    const CaptureSamples sender = read_samples(files[1], without_timestamps);
    if (!sender.error.empty()) {
        std::fprintf(stderr, "%s\n", sender.error.c_str());
        return 2;
    }
    const auto truth = read_truth(files[0], side, sender.sender_port);
    if (truth.empty()) {
        std::fprintf(stderr, "%s: no TCP_INFO of port %u\n", files[0].c_str(), sender.sender_port);
        return 2;
    }
    print_heading(34);
    for (std::size_t i = 1; i < files.size(); ++i) {
        const CaptureSamples samples = i == 1 ? sender : read_samples(files[i], without_timestamps);
        if (!samples.error.empty()) {
            std::fprintf(stderr, "%s\n", samples.error.c_str());
            return 2;
        }
        const std::string label = files[i].size() > 34 ? files[i].substr(files[i].size() - 34) : files[i];
        print_row(label, 34, compare(samples.samples, truth, i == 1 ? nullptr : &sender.samples));
    }
    return 0;
}
