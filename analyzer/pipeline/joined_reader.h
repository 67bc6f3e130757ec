// SPDX-License-Identifier: GPL-2.0-or-later
// Reads the files of a ring buffer as one capture.
#pragma once

#include "analyzer/capture/files/capture_reader.h"

#include <string>
#include <vector>

namespace iscsiscope {

// A reader over several files in the order of the times of their first frames, independent of the order in
// which they are given. Frame numbers continue from file to file. Files without a frame come last. One file
// is open at a time.
class JoinedReader final : public CaptureReader {
public:
    struct Part {
        std::string path;
        OptionalFrame first_frame{}; // in the joined capture; empty: it has none, or was not reached
        bool complete = true;        // false: cut short, damaged, or removed before it was read
    };

    // Fails as CaptureReader::open does, for the first file that cannot be opened.
    static Result<std::unique_ptr<JoinedReader>> open(const std::vector<std::string> &paths, AnomalySink &,
                                                      const UnpackBounds & = {});

    bool next(Frame &) override;
    bool has_next() const override { return reader_ && reader_->has_next(); }
    FrameHold hold() const override { return reader_->hold(); }
    const CaptureInfo &info() const override { return info_; }
    std::uint64_t file_bytes_read() const override;
    std::optional<std::uint64_t> file_size() const override { return size_; }
    const std::vector<Part> &parts() const { return parts_; }

private:
    // Adds the frames of earlier files to the frame numbers of anomalies.
    class Renumber final : public AnomalySink {
    public:
        explicit Renumber(AnomalySink &next) : next_(next) {}
        void on_anomaly(const Anomaly &) override;
        FrameNumber before = 0; // frames of earlier files

    private:
        AnomalySink &next_;
    };

    JoinedReader(AnomalySink &sink, const UnpackBounds &bounds) : sink_(sink), bounds_(bounds) {}
    bool open_next(); // false: it has been removed since open() read its begin
    void close();

    Renumber sink_;
    UnpackBounds bounds_; // of each file
    std::vector<Part> parts_;
    std::size_t opened_ = 0;
    std::unique_ptr<CaptureReader> reader_;
    CaptureInfo info_, closed_; // of all files so far; of the files read to their end
    std::uint64_t bytes_done_ = 0;
    std::optional<std::uint64_t> size_;
};

} // namespace iscsiscope
