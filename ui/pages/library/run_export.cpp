// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/library/library_actions.h"

#include "app/foreign/export_text.h"
#include "engine/base/json.h"
#include "engine/base/table_cell.h"
#include "storage/run_query.h"
#include "ui/text/utf8.h"

#include <QDir>
#include <QSaveFile>

#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>

namespace heddle::ui {
namespace {

QByteArray digits(double value, int precision) {
    if (std::isnan(value)) return QByteArrayLiteral("NaN");
    if (std::isinf(value)) return value > 0 ? QByteArrayLiteral("Infinity") : QByteArrayLiteral("-Infinity");
    return QByteArray::number(value, 'g', precision);
}

/// Writes a file whole or not at all.
void write(const QString& path, const std::function<void(QIODevice&)>& body) {
    QSaveFile file(path);
    if (file.open(QIODevice::WriteOnly)) {
        body(file);
        if (file.commit()) return;
    }
    throw std::runtime_error((path + QStringLiteral(": ") + file.errorString()).toStdString());
}

/// A column of the database that is JSON; null where it is empty or damaged.
Json storedJson(const std::string& text) {
    Json value = Json::parse(text, nullptr, false);
    return value.is_discarded() ? Json() : value;
}

Json documentOf(storage::RunQuery& query, const storage::RunRecord& run) {
    Json attempts = Json::array(), checkpoints = Json::array(), events = Json::array();
    for (const auto& a : query.attempts(run.id))
        attempts.push_back({{"attempt", a.attempt},
                            {"started", a.started},
                            {"seconds", a.seconds},
                            {"first_step", a.firstStep},
                            {"device", a.device},
                            {"program", a.program},
                            {"torch", a.torch},
                            {"threads", a.threads},
                            {"replay", a.replay},
                            {"context", storedJson(a.context)}});
    for (const auto& c : query.checkpoints(run.id))
        checkpoints.push_back({{"kind", c.kind}, {"step", c.step}, {"folder", c.folder}, {"weights_sha256", c.weightsSha256}});
    for (const auto& e : query.events(run.id))
        events.push_back({{"attempt", e.attempt},
                          {"step", e.step},
                          {"at", e.at},
                          {"kind", e.kind},
                          {"text", e.text},
                          {"data", storedJson(e.data)}});
    return {{"schema", "heddle.run_export/1"},
            {"run", run.id},
            {"name", run.name},
            {"state", run.state},
            {"reason", run.reason},
            {"seed", run.seed},
            {"variant_hash", run.variantHash},
            {"run_hash", run.runHash},
            {"created", run.created},
            {"steps", run.step},
            {"epochs", run.epoch},
            {"parameters", run.parameters},
            {"seconds", run.seconds},
            {"tags", run.tags},
            {"spec", storedJson(run.spec)},
            {"attempts", attempts},
            {"checkpoints", checkpoints},
            {"events", events}};
}

QString cell(const std::string& content) { return text(tableCell(content)); }

void writeEvaluations(QIODevice& out, const std::vector<storage::EvaluationRecord>& evaluations) {
    out.write("step\tepoch\tsplit\tmetric\tvalue\tn\tsignature\tattempt\n");
    for (const auto& e : evaluations)
        out.write(QStringLiteral("%1\t%2\t%3\t%4\t%5\t%6\t%7\t%8\n")
                      .arg(e.step)
                      .arg(e.epoch)
                      .arg(cell(e.split), cell(e.metric), QString::fromLatin1(digits(e.value, 17)))
                      .arg(e.n)
                      .arg(cell(e.signature))
                      .arg(e.attempt)
                      .toUtf8());
}

void writeCurves(QIODevice& out, storage::RunQuery& query, const std::string& run) {
    out.write("name\tpath\tattempt\tstep\tvalue\n");
    for (const auto& series : query.series(run)) {
        const QByteArray head =
            QByteArray::fromStdString(tableCell(series.name)) + '\t' + QByteArray::fromStdString(tableCell(series.path)) + '\t';
        for (const auto& point : query.points(run, series.name, series.path, 0, std::numeric_limits<std::int64_t>::max()))
            out.write(head + QByteArray::number(qint64(point.attempt)) + '\t' + QByteArray::number(qint64(point.step)) + '\t' +
                      digits(double(point.value), 9) + '\n');
    }
}

}  // namespace

QString exportRun(const QString& database, const std::string& run, const QString& folder) {
    // An export has a connection of its own: it reads all rows, which would block the window's reader.
    const auto query = storage::RunQuery::open(database.toStdString());
    const auto record = query->run(run);
    if (!record) throw std::runtime_error("the run is no longer in the database");
    QString place = QDir(folder).filePath(text(app::fileNameOf(record->name, run)));
    if (!QDir().mkpath(place)) throw std::runtime_error((place + QStringLiteral(": cannot create the folder")).toStdString());
    const QDir to(place);
    write(to.filePath(QStringLiteral("run.json")),
          [&](QIODevice& out) { out.write(QByteArray::fromStdString(dumped(documentOf(*query, *record), 2))); });
    write(to.filePath(QStringLiteral("evaluations.tsv")),
          [&](QIODevice& out) { writeEvaluations(out, query->evaluations(run)); });
    write(to.filePath(QStringLiteral("curves.tsv")), [&](QIODevice& out) { writeCurves(out, *query, run); });
    return place;
}

}  // namespace heddle::ui
