// SPDX-License-Identifier: GPL-2.0-or-later
// The files of a ring buffer as one capture.
#pragma once

#include "analyzer/capture/files/capture_reader.h"

#include <string>
#include <vector>

namespace iscsiscope {

// Reads the files one after the other in the order of their first frames' times, whatever order they are
// named in; frames are numbered through. Files without a frame come last. One file is open at a time.
class JoinedReader final : public CaptureReader {
public:
    struct Part {
        std::string path;
        FrameNumber first_frame = 0; // number of its first frame in the whole; 0: not reached, or none
        bool complete = true;        // false: cut short or damaged, or gone before it was read
    };

    // Throws OpenError as CaptureReader::open does, for the first file that cannot be opened.
    JoinedReader(const std::vector<std::string> &paths, AnomalySink &);

    bool next(Frame &) override;
    const CaptureInfo &info() const override { return info_; }
    std::uint64_t file_bytes_read() const override;
    std::optional<std::uint64_t> file_size() const override { return size_; }
    const std::vector<Part> &parts() const { return parts_; }

private:
    // Anomalies count frames from the start of their file.
    class Renumber final : public AnomalySink {
    public:
        explicit Renumber(AnomalySink &next) : next_(next) {}
        void on_anomaly(const Anomaly &) override;
        FrameNumber before = 0; // frames of the files before

    private:
        AnomalySink &next_;
    };

    void open_next();
    void close();

    Renumber sink_;
    std::vector<Part> parts_;
    std::size_t opened_ = 0;
    std::unique_ptr<CaptureReader> reader_;
    CaptureInfo info_, closed_; // all so far; of the files that are done
    std::uint64_t bytes_done_ = 0;
    std::optional<std::uint64_t> size_;
};

} // namespace iscsiscope
