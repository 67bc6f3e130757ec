// SPDX-License-Identifier: GPL-2.0-or-later
// tcp_accuracy TRUTH SENDER_CAPTURE [CAPTURE…]: the table of the congestion window's errors, a row a
// capture. TRUTH is NAME.truth.jsonl or a .tcpinfo.txt; SENDER_CAPTURE was taken at the data's sender and
// gives the times of sending for the captures taken elsewhere. --target: the target sends (Reads),
// --initiator: the initiator does (Writes, the default).
// --no-timestamps: as if neither end used them.
// tcp_accuracy --list: the same of lines "LABEL TRUTH SENDER_CAPTURE CAPTURE" on standard input, whose sender
// is found by its port (3260: the target), as a JSON object a line: label, rows, inside, limited, estimated,
// errors (of those).
#include "comparison.h"
#include "table.h"

#include <cstdio>
#include <cstring>
#include <iostream>

namespace {

using namespace iscsiscope::test;

// One line of a list; what is wrong with it goes to standard error.
bool print_listed(const std::string &label, const std::string &truth_path, const std::string &sender_path,
                  const std::string &path) {
    const CaptureSamples sender = read_samples(sender_path, false);
    const CaptureSamples samples = path == sender_path ? sender : read_samples(path, false);
    for (const CaptureSamples *one : {&sender, &samples})
        if (!one->error.empty()) {
            std::fprintf(stderr, "%s\n", one->error.c_str());
            return false;
        }
    const auto truth =
        read_truth(truth_path, sender.sender_port == 3260 ? "target" : "initiator", sender.sender_port);
    if (truth.empty()) {
        std::fprintf(stderr, "%s: no rows of port %u\n", truth_path.c_str(), sender.sender_port);
        return false;
    }
    const Accuracy a = compare(samples.samples, truth, path == sender_path ? nullptr : &sender.samples);
    std::printf(
        "{\"label\":\"%s\",\"rows\":%zu,\"inside\":%zu,\"limited\":%zu,\"estimated\":%zu,\"errors\":[",
        label.c_str(), a.rows(), a.inside(), a.limited, a.limited_estimated);
    for (std::size_t i = 0; i < a.errors.size(); ++i)
        std::printf("%s%.4f", i == 0 ? "" : ",", a.errors[i]);
    std::printf("]}\n");
    return true;
}

int print_list() {
    bool good = true;
    for (std::string label, truth, sender, path; std::cin >> label >> truth >> sender >> path;)
        good = print_listed(label, truth, sender, path) && good;
    return good ? 0 : 2;
}

} // namespace

int main(int argc, char **argv) {
    if (argc == 2 && std::strcmp(argv[1], "--list") == 0)
        return print_list();
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
