// SPDX-License-Identifier: GPL-2.0-or-later
// MergedReader: reads several files as one capture, by the times of their frames: one file for each direction
// (ESXi's pktcap-uw), or one for each path.
//
// In: the paths. Out: the frames of all files in the order in which mergecap of Wireshark writes them, so
// that a frame number is that of the file which `mergecap -w merged.pcapng FILES` makes: of the next frames
// of all files always the earliest, of equal ones that of the file named last. A file's own order is kept,
// also where its times go back; but a step of its clock by more than FileClock::tolerance is taken out, and
// the frames are then not numbered as mergecap does. One frame of each file is held, in the file's own
// buffer.
#pragma once

#include "analyzer/capture/files/capture_reader.h"
#include "analyzer/pipeline/merge/file_clock.h"
#include "analyzer/pipeline/merge/merge_summary.h"

#include <string>
#include <vector>

namespace iscsiscope {

class MergedReader final : public CaptureReader {
public:
    static constexpr std::size_t max_files = 64;

    // Fails as CaptureReader::open does, for the first file that cannot be opened, and for more than
    // `max_files`.
    static Result<std::unique_ptr<MergedReader>> open(const std::vector<std::string> &paths, AnomalySink &,
                                                      const UnpackBounds & = {});
    ~MergedReader() override;

    bool next(Frame &) override;
    bool has_next() const override { return false; } // it takes frames from several files
    FrameHold hold() const override;
    const CaptureInfo &info() const override;
    std::uint64_t file_bytes_read() const override;
    std::optional<std::uint64_t> file_size() const override;

    // The file of the frame that next() gave last.
    std::size_t file() const { return current_; }
    // False: it has no further frame.
    bool has_more(std::size_t file) const;
    FrameNumber first_frame(std::size_t file) const; // 0: none
    bool complete(std::size_t file) const;
    // Files and numbering; clocks and packets that are the same are left empty.
    MergeSummary summary() const;

private:
    struct File;
    MergedReader() = default;
    void advance(File &);

    std::vector<std::unique_ptr<File>> files_;
    std::size_t current_ = 0;
    bool begun_ = false, jumped_ = false; // jumped: a great step was taken out of a file's times (ClockSteps)
    CaptureInfo delivered_;               // totals of the frames that next() gave
    mutable CaptureInfo info_;            // made anew by info()
};

} // namespace iscsiscope
