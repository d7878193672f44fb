// SPDX-License-Identifier: Apache-2.0
// One file with an object on each line, of kind "run", "point", "evaluation" or "damage". Numbers that are not finite are the
// strings "NaN", "Infinity" and "-Infinity", as the JSON of protocol buffers has them
// (https://protobuf.dev/programming-guides/json): RFC 8259 knows no such numbers.
#include "app/foreign/export_writers.h"
#include "app/foreign/exported_run.h"
#include "app/foreign/own_table.h"
#include "engine/base/json.h"

#include <fmt/format.h>

#include <cmath>

namespace heddle::app {
namespace {

std::string valueText(double value) {
    const std::string text = exactText(value);
    return std::isfinite(value) ? text : '"' + text + '"';
}

std::string quotedText(const std::string& text) { return dumped(Json(text)); }

/// The object of a run. Its schema comes first, because the import recognises the file by it.
std::string runLine(const ExportedRun& run) {
    Json document = documentOf(run);
    document.erase("schema");
    return kJsonLinesStart + dumped(document).substr(1) + "\n";
}

void writeCurve(ExportFile& file, const std::string& run, const ExportedCurve& curve) {
    const std::string name = quotedText(curve.key.name), path = quotedText(curve.key.path);
    for (const auto& point : curve.points)
        file.write(fmt::format(R"({{"kind":"point","run":{},"name":{},"path":{},"step":{},"value":{},"attempt":{}}})"
                               "\n",
                               run, name, path, point.step, valueText(point.value), point.attempt));
}

void writeEvaluation(ExportFile& file, const std::string& run, const storage::EvaluationRecord& e) {
    file.write(fmt::format(R"({{"kind":"evaluation","run":{},"split":{},"metric":{},"step":{},"value":{},"epoch":{},"n":{},)"
                           R"("signature":{},"seconds":{},"attempt":{}}})"
                           "\n",
                           run, quotedText(e.split), quotedText(e.metric), e.step, valueText(e.value), e.epoch, e.n,
                           quotedText(e.signature), valueText(e.seconds), e.attempt));
}

}  // namespace

std::vector<std::string> writeJsonLines(const WrittenExport& written) {
    ExportFile file(written.place.temporary());
    for (const std::string& id : written.wanted.runs) {
        const ExportedRun run = exportedRun(written.query, id);
        const std::string quoted = quotedText(id);
        file.write(runLine(run));
        forEachCurve(written.query, id, [&](const ExportedCurve& curve) { writeCurve(file, quoted, curve); });
        for (const auto& evaluation : wholeEvaluations(written.query, id)) writeEvaluation(file, quoted, evaluation);
        for (const std::string& damage : damagesOf(written.query, run.record))
            file.write(fmt::format(R"({{"kind":"damage","run":{},"text":{}}})"
                                   "\n",
                                   quoted, quotedText(damage)));
        written.next();
    }
    file.finish();
    return {};
}

}  // namespace heddle::app
