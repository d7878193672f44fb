// SPDX-License-Identifier: Apache-2.0
// TensorBoard's event files: each run has a folder with one file of events. The numbers of the fields are those of
// tensorflow/core/util/event.proto and framework/{summary,tensor,tensor_shape,histogram}.proto.
#include "app/foreign/export_writers.h"
#include "app/foreign/exported_run.h"
#include "app/foreign/own_table.h"
#include "app/foreign/wire.h"
#include "engine/base/json.h"
#include "storage/file_system.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace heddle::app {
namespace {

constexpr std::uint64_t kDoubleType = 2, kStringType = 7;        // DataType
constexpr std::uint64_t kTensorClass = 2;                        // DataClass
constexpr std::uint64_t kPluginData = 1, kDataClass = 4;         // SummaryMetadata
constexpr std::uint64_t kTensor = 8, kMetadata = 9, kHisto = 5;  // Summary.Value

std::string metadata(const char* plugin) {
    MessageWriter data, all;
    data.bytes(1, plugin);
    all.bytes(kPluginData, data.text()).varint(kDataClass, kTensorClass);
    return all.text();
}

/// A tensor of texts whose dimensions are `sizes`: {rows, columns}, or {} for a single text.
std::string textTensor(const std::vector<std::string>& texts, const std::vector<std::uint64_t>& sizes) {
    MessageWriter shape, tensor;
    for (const std::uint64_t size : sizes) {
        MessageWriter dimension;
        dimension.varint(1, size);
        shape.bytes(2, dimension.text());
    }
    tensor.varint(1, kStringType).bytes(2, shape.text());
    for (const std::string& text : texts) tensor.bytes(8, text);
    return tensor.text();
}

/// The events of one run.
class EventFile {
public:
    EventFile(const std::string& path, const ExportedRun& run)
        : file_(path), created_(std::isfinite(run.record.created) ? run.record.created : 0) {
        for (const auto& attempt : run.attempts) started_[attempt.attempt] = attempt.started;
        MessageWriter version;
        version.number(1, created_).bytes(3, "brain.Event:2");
        file_.write(framed(version.text()));
    }

    struct Moment {
        std::int64_t step = 0, attempt = 1;
    };

    void scalar(const std::string& tag, const Moment& at, float value) {
        MessageWriter of;
        of.bytes(1, tag).number(2, value);
        add(at, of);
    }

    /// Writes a double as a tensor, which no dashboard draws, since TensorBoard's data server leaves out scalars that are
    /// doubles.
    void exact(const std::string& tag, const Moment& at, double value) {
        MessageWriter tensor, of;
        tensor.varint(1, kDoubleType).bytes(2, "").number(6, value);
        of.bytes(1, tag).bytes(kTensor, tensor.text()).bytes(kMetadata, metadata("heddle"));
        add(at, of);
    }

    void texts(const std::string& tag, const Moment& at, const std::string& tensor) {
        MessageWriter of;
        of.bytes(1, tag).bytes(kTensor, tensor).bytes(kMetadata, metadata("text"));
        add(at, of);
    }

    /// Writes the bins from low to high as buckets, and one more below and above them if values lie there. The sums of values
    /// and of squares come from mean and deviation.
    void histogram(const storage::HistogramRecord& record) {
        std::vector<double> limits, counts;
        double total = 0;
        const auto bucket = [&](double limit, double count) {
            if (count == 0 && total == 0) return;  // TensorBoard begins the first bucket at the minimum
            limits.push_back(limit);
            counts.push_back(count);
            total += count;
        };
        const double width = (record.high - record.low) / static_cast<double>(record.bins.size());
        bucket(record.low, static_cast<double>(record.below));
        for (std::size_t i = 0; i < record.bins.size(); ++i)
            bucket(i + 1 == record.bins.size() ? record.high : record.low + width * static_cast<double>(i + 1), record.bins[i]);
        if (record.above > 0) bucket(record.maximum, static_cast<double>(record.above));
        while (!counts.empty() && counts.back() == 0) limits.pop_back(), counts.pop_back();
        if (counts.empty()) return;  // no finite value
        MessageWriter histo, of;
        histo.number(1, record.minimum).number(2, record.maximum).number(3, total).number(4, record.mean * total);
        histo.number(5, (record.deviation * record.deviation + record.mean * record.mean) * total);
        histo.packed(6, limits).packed(7, counts);
        of.bytes(1, record.name + "/" + record.path).bytes(kHisto, histo.text());
        add({record.step, record.attempt}, of);
    }

    void finish() { file_.finish(); }

private:
    /// The time of an event is the beginning of its attempt: the database has no time of each step.
    void add(const Moment& at, const MessageWriter& value) {
        const auto started = started_.find(at.attempt);
        MessageWriter summary, event;
        summary.bytes(1, value.text());
        event.number(1, started == started_.end() ? created_ : started->second);
        event.varint(2, static_cast<std::uint64_t>(at.step)).bytes(5, summary.text());
        file_.write(framed(event.text()));
    }

    ExportFile file_;
    double created_;
    std::map<std::int64_t, double> started_;  ///< by attempt
};

/// The tag under which the exact numbers of the database stand. Curves are floats there, as TensorBoard's scalars are.
/// Evaluations are doubles and stand under "exact/…"; under the tag without it they are floats, which TensorBoard draws.
std::string tagOfNumbers(const ForeignMetric& metric) { return (metric.split.empty() ? "" : "exact/") + tagOf(metric); }

/// The run's object. Its member "tags_of_values" says what each tag is: [split, metric, path], where a curve has no split.
std::string toldOf(const ExportedRun& run, const std::vector<ForeignMetric>& metrics) {
    Json document = documentOf(run);
    Json& values = document["tags_of_values"] = Json::object();
    for (const ForeignMetric& metric : metrics) values[tagOfNumbers(metric)] = {metric.split, metric.metric, metric.path};
    return dumped(document);
}

void writeSamples(EventFile& file, storage::RunQuery& query, const std::string& run) {
    auto samples = query.samples(run);  // the newest
    std::erase_if(samples, [](const auto& sample) { return sample.damaged; });
    if (samples.empty()) return;
    std::vector<std::string> cells{"source", "reference", "hypothesis"};
    for (const auto& sample : samples) cells.insert(cells.end(), {sample.source, sample.reference, sample.hypothesis});
    file.texts("samples", {samples.front().step, samples.front().attempt}, textTensor(cells, {samples.size() + 1, 3}));
}

/// Returns what is wrong with each damaged histogram.
std::vector<std::string> writeHistograms(EventFile& file, storage::RunQuery& query, const std::string& run) {
    std::vector<std::string> damages;
    auto index = query.histogramIndex(run);
    std::sort(index.begin(), index.end(),
              [](const auto& a, const auto& b) { return std::tie(a.name, a.path, a.step) < std::tie(b.name, b.path, b.step); });
    for (const auto& which : index) {
        try {
            if (const auto record = query.histogram(run, which)) file.histogram(*record);
        } catch (const storage::StorageError& error) {
            if (error.kind() != storage::StorageError::Kind::Corrupt) throw;
            damages.push_back(error.problem());
        }
    }
    return damages;
}

void writeRun(const std::string& folder, const std::string& id, storage::RunQuery& query) {
    const ExportedRun run = exportedRun(query, id);
    const auto evaluations = wholeEvaluations(query, id);
    std::vector<ForeignMetric> metrics;
    for (const auto& key : query.series(id)) metrics.push_back({"", key.name, key.path});
    for (const auto& e : evaluations) metrics.push_back({e.split, e.metric});
    const std::string place = folder + "/" + fileNameOf(run.record.name, id);
    makeExportFolder(place);
    EventFile file(place + "/events.out.tfevents.1.heddle", run);
    file.texts(kRunTag, {}, textTensor({toldOf(run, metrics)}, {}));
    file.texts("spec", {}, textTensor({"```json\n" + dumped(run.spec, 2) + "\n```"}, {}));
    if (!run.notes.empty()) file.texts("notes", {}, textTensor(run.notes, {run.notes.size()}));
    forEachCurve(query, id, [&](const ExportedCurve& curve) {
        const std::string tag = tagOf({"", curve.key.name, curve.key.path});
        for (const auto& point : curve.points) file.scalar(tag, {point.step, point.attempt}, point.value);
    });
    for (const auto& e : evaluations) {
        file.scalar(tagOf({e.split, e.metric}), {e.step, e.attempt}, static_cast<float>(e.value));
        file.exact(tagOfNumbers({e.split, e.metric}), {e.step, e.attempt}, e.value);
    }
    std::vector<std::string> marks = writeHistograms(file, query, id);
    writeSamples(file, query, id);
    for (const std::string& damage : damagesOf(query, run.record)) marks.push_back(damage);
    if (run.record.intervened >= 0) marks.push_back(interventionText(run.record));
    if (!marks.empty()) file.texts("marks", {}, textTensor(marks, {marks.size()}));
    file.finish();
    storage::syncToDisk(place);
}

}  // namespace

std::vector<std::string> writeTensorBoard(const WrittenExport& written) {
    makeExportFolder(written.place.temporary());
    for (const std::string& id : written.wanted.runs) {
        writeRun(written.place.temporary(), id, written.query);
        written.next();
    }
    return {};
}

}  // namespace heddle::app
