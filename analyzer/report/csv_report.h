// SPDX-License-Identifier: GPL-2.0-or-later
// A report as a folder of CSV tables: the rows while reading, summaries at the end.
#pragma once

#include "analyzer/cycles/record_sink.h"
#include "analyzer/report/output_file.h"
#include "analyzer/report/report.h"
#include "analyzer/report/row_sink.h"

#include <memory>
#include <string>
#include <vector>

namespace iscsiscope {

// Hands every record on to all of its sinks, in their order. The sinks must outlive it.
class SinkFan final : public RecordSink {
public:
    explicit SinkFan(std::vector<RecordSink *> sinks) : sinks_(std::move(sinks)) {}

    void on_anomaly(const Anomaly &r) override { each(&RecordSink::on_anomaly, r); }
    void on_pdu(const Connection &c, const Pdu &r) override { each(&RecordSink::on_pdu, c, r); }
    void on_cycle_end(const CycleRecord &r) override { each(&RecordSink::on_cycle_end, r); }
    void on_cycle(const CycleRecord &r) override { each(&RecordSink::on_cycle, r); }
    void on_burst(const BurstRecord &r) override { each(&RecordSink::on_burst, r); }
    void on_gap(const GapRecord &r) override { each(&RecordSink::on_gap, r); }
    void on_event(const EventRecord &r) override { each(&RecordSink::on_event, r); }
    void on_lun(const LunRecord &r) override { each(&RecordSink::on_lun, r); }
    void on_session(const SessionRecord &r) override { each(&RecordSink::on_session, r); }
    void on_login(const Connection &c, const Login &r) override { each(&RecordSink::on_login, c, r); }
    void on_connection(const ConnectionRecord &r) override { each(&RecordSink::on_connection, r); }

private:
    template <class Function, class... Records>
    void each(Function f, const Records &...r) {
        for (RecordSink *s : sinks_) {
            (s->*f)(r...);
        }
    }

    std::vector<RecordSink *> sinks_;
};

// cycles.csv, bursts.csv, gaps.csv and connections.csv fill while the capture is read; times.csv,
// sizes.csv, luns.csv, time_shares.csv, phase_shares.csv, outcomes.csv and anomalies.csv are written by
// finish(). PDUs are not among them: there are too many (`pdus` lists them).
class CsvReport {
public:
    // Makes the folder if it is not there. filter: of the cycles.
    CsvReport(const std::string &folder, RowSelection cycles, UnfinishedFiles &);
    ~CsvReport();

    std::vector<RecordSink *> sinks();
    bool ok() const { return error().empty(); }
    // The summaries; then all files come to be under their names. False: see error().
    bool finish(const Report &, const std::vector<double> &quantiles);
    std::string error() const;

private:
    struct RowFile;

    void summary(const std::string &name, const std::string &content);

    std::string folder_;
    UnfinishedFiles &unfinished_;
    std::vector<std::unique_ptr<RowFile>> rows_;
    std::vector<std::unique_ptr<OutputFile>> summaries_;
    std::string error_;
    bool made_folder_ = false, done_ = false;
};

} // namespace iscsiscope
