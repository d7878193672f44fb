// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/draft/drafts_file.h"

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/spec/draft_facts.h"

#include <QDir>
#include <QFileInfo>
#include <QStringList>

#include <algorithm>
#include <utility>

namespace heddle::ui {
namespace {

constexpr char kSchema[] = "heddle.drafts/1";

void store(const QSettings& settings, Json documents) {
    documents["schema"] = kSchema;
    writeFileAtomically(DraftsFile::nameFor(settings).toStdString(), documents.dump() + "\n");
}

/// A file that cannot be read must not be overwritten. Returns its new name.
QString putAside(const QString& file) {
    const QString base = file.chopped(QStringLiteral(".json").size()) + QStringLiteral("-unread");
    QString kept = base + QStringLiteral(".json");
    for (int number = 2; QFile::exists(kept); ++number) kept = QStringLiteral("%1-%2.json").arg(base).arg(number);
    return QFile::rename(file, kept) ? kept : file;
}

/// What is no JSON stays as text: reading it will say so.
Json parsed(const QString& text) {
    Json read = Json::parse(text.toStdString(), nullptr, false);
    return read.is_discarded() ? Json(text.toStdString()) : read;
}

/// Moves the keys of older versions into the file.
void moveFromSettings(QSettings& settings) {
    const auto take = [&](const char* name) {
        const QString key = QStringLiteral("compose/") + QLatin1String(name);
        QVariant value = settings.value(key);
        settings.remove(key);
        return value;
    };
    const auto word = [&](const char* name) { return take(name).toString().toStdString(); };
    const QString kept = take("drafts").toString(), only = take("draft").toString();
    const Json document = parsed(take("baseline").toString());
    AssumedVocabulary assumed;
    if (const qint64 words = take("wordsSource").toLongLong(); words > 0) assumed.source = words;
    if (const qint64 words = take("wordsTarget").toLongLong(); words > 0) assumed.target = words;
    assumed.classes = std::max(0LL, take("classes").toLongLong());
    const Json one{{"name", word("draftName")},
                   {"seeds", word("seeds")},
                   {"renamed", false},
                   {"steps", Json::array()},
                   {"saved_at", take("draftModified").toBool() ? -1 : 0}};
    Json drafts = parsed(kept), notes = Json::array();
    if (kept.isEmpty()) {  // of a version with one draft
        drafts = {{"drafts", Json::array({one})}, {"shown", 0}};
        drafts["drafts"][0]["document"] = parsed(only);
    }
    const std::string baselineName = word("baselineName");
    if (drafts.is_object()) {
        drafts["baseline"] = {{"document", document.is_object() ? document : Json()}, {"name", baselineName}};
        drafts["words"] = {{"source", assumed.source}, {"target", assumed.target}, {"classes", assumed.classes}};
    }
    for (const QString& note : take("plan_notes").toStringList()) notes.push_back(note.toStdString());
    const QString rows = take("plan").toString();
    const Json plan{{"rows", rows.isEmpty() ? Json() : parsed(rows)}, {"notes", notes}, {"ticked", word("plan_ticked")}};
    if (!kept.isEmpty() || !only.isEmpty()) store(settings, {{"drafts", drafts}, {"plan", plan}});
}

}  // namespace

QString DraftsFile::nameFor(const QSettings& settings) {
    return QFileInfo(settings.fileName()).dir().filePath(QStringLiteral("drafts.json"));
}

void DraftsFile::read(QSettings& settings, const std::function<void(const Json& documents)>& take) const {
    const QString name = nameFor(settings);
    try {
        moveFromSettings(settings);
        if (!QFile::exists(name)) return;
        const std::string path = name.toStdString();
        const Json documents = parseJson(readWholeFile(path), path);
        if (!documents.is_object() || documents.value("schema", Json()) != kSchema)
            throwInvalid("the file is of another version", path, "");
        take(documents);
    } catch (const std::exception& error) {
        studio_.report(Problem{tr("The drafts of the last session could not be read: %1").arg(problemOf(error).what),
                               putAside(name), tr("They are kept in this file."),
                               tr("Open them with the version that wrote them.")});
    }
}

void DraftsFile::write(const QSettings& settings, const Json& documents) const {
    if (documents == written_) return;
    try {
        store(settings, documents);
        written_ = documents;
    } catch (const std::exception& error) {
        studio_.report(MessageStrip::Message{StripKind::Bad,
                                             tr("The drafts could not be saved: %1").arg(problemOf(error).what),
                                             nameFor(settings),
                                             {},
                                             QStringLiteral("draftsNotSaved")});
    }
}

}  // namespace heddle::ui
