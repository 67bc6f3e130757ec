// SPDX-License-Identifier: GPL-2.0-or-later
// Where batches end, how many threads follow them, and in how many files the frames come changes no record:
// those of a capture as those of the engine that follows it frame by frame, those of merged files as in
// batches of one frame. Input: how long batches are, how many threads, which segments lie in the second file;
// then segments (engine_input.h).
#include "fuzz/engine_input.h"
#include "fuzz/folder.h"
#include "fuzz/pcap_file.h"
#include "support/record_lines.h"

#include <cstdio>
#include <string>
#include <vector>

using namespace iscsiscope;

namespace {

using Lines = std::vector<std::string>;

void require_same(const Lines &plain, const Lines &others) {
    const std::string first = test::difference(plain, others);
    if (!first.empty())
        std::fprintf(stderr, "%s\n", first.c_str());
    fuzz::require(first.empty());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    static const fuzz::Folder folder;
    if (size < 3)
        return 0;
    const std::size_t frames = std::size_t{data[0]} + 1;
    const int threads = 1 + data[1] % 4;
    const unsigned second = data[2];
    fuzz::PcapFile whole, one, other;
    unsigned n = 0;
    fuzz::segments(data + 3, size - 3, [&](const Segment &s) {
        whole.add(s);
        (second >> (n++ % 8) & 1U ? other : one).add(s);
    });
    const std::string path = folder.write("whole", whole.content());
    require_same(test::lines_frame_by_frame(path),
                 test::lines_in_batches({path}, FileUnion::joined, frames, threads));
    const std::vector<std::string> parts = {folder.write("one", one.content()),
                                            folder.write("other", other.content())};
    for (const FileUnion how : {FileUnion::joined, FileUnion::merged})
        require_same(test::lines_in_batches(parts, how, 1, 1),
                     test::lines_in_batches(parts, how, frames, threads));
    return 0;
}
