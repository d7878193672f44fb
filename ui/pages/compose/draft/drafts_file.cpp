// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/draft/drafts_file.h"

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/json.h"
#include "engine/spec/draft_facts.h"
#include "ui/threads/ask.h"

#include <QDir>
#include <QFileInfo>
#include <QStringList>

#include <algorithm>
#include <utility>

namespace heddle::ui {
namespace {

constexpr char kDraftsSchema[] = "heddle.drafts/1";

void store(const QString& file, Json documents) {
    documents["schema"] = kDraftsSchema;
    writeFileAtomically(file.toStdString(), documents.dump() + "\n");
}

/// Renames the file, so that the next save does not overwrite it. Returns the new name.
QString renameUnreadable(const QString& file) {
    const QString base = file.chopped(QStringLiteral(".json").size()) + QStringLiteral("-unread");
    QString kept = base + QStringLiteral(".json");
    for (int number = 2; QFile::exists(kept); ++number) kept = QStringLiteral("%1-%2.json").arg(base).arg(number);
    return QFile::rename(file, kept) ? kept : file;
}

/// Text that is no JSON becomes a string; reading it reports the problem.
Json parsed(const QString& text) {
    Json read = Json::parse(text.toStdString(), nullptr, false);
    return read.is_discarded() ? Json(text.toStdString()) : read;
}

QString keyOf(const char* name) { return QStringLiteral("compose/") + QLatin1String(name); }

/// Returns what older versions kept in the settings; null where they kept no draft.
Json documentsIn(const QSettings& settings) {
    const auto take = [&](const char* name) { return settings.value(keyOf(name)); };
    const auto word = [&](const char* name) { return take(name).toString().toStdString(); };
    const QString kept = take("drafts").toString(), only = take("draft").toString();
    if (kept.isEmpty() && only.isEmpty()) return {};
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
    return {{"drafts", drafts}, {"plan", plan}};
}

void removeDocuments(QSettings& settings) {
    for (const char* name : {"drafts", "draft", "draftName", "draftModified", "seeds", "baseline", "baselineName",
                             "wordsSource", "wordsTarget", "classes", "plan", "plan_notes", "plan_ticked"})
        settings.remove(keyOf(name));
}

Json documentsIn(const std::string& file) {
    Json documents = parseJson(readWholeFile(file), file);
    if (!documents.is_object() || documents.value("schema", Json()) != kDraftsSchema)
        throwInvalid("the file is of another version", file, "");
    documents.erase("schema");
    return documents;
}

}  // namespace

QString DraftsFile::nameFor(const QSettings& settings) {
    return QFileInfo(settings.fileName()).dir().filePath(QStringLiteral("drafts.json"));
}

void DraftsFile::read(QSettings& settings, const std::function<void(const Json& documents)>& take) const {
    const QString name = nameFor(settings);
    SessionFiles::finish();
    try {
        Json documents;
        if (QFile::exists(name)) {
            documents = documentsIn(name.toStdString());
            written_ = documents;
        } else {
            documents = documentsIn(settings);
            if (documents.is_null()) return;
            write(settings, documents);
            if (QFile::exists(name)) removeDocuments(settings);
        }
        take(documents);
    } catch (const std::exception& error) {
        written_ = {};
        studio_.report(Problem{tr("Not all drafts and plans of the last session could be read: %1").arg(problemOf(error).what),
                               QFile::exists(name) ? renameUnreadable(name) : settings.fileName(),
                               tr("They are kept in this file."), tr("Open them with the version that wrote them.")});
    }
}

void DraftsFile::write(const QSettings& settings, const Json& documents) const {
    SessionFiles::finish();
    if (documents.is_null() || (documents == written_ && !*failed_)) return;
    try {
        store(nameFor(settings), documents);
        written_ = documents;
        *failed_ = false;
    } catch (const std::exception& error) {
        reportUnsaved(nameFor(settings), problemOf(error));
    }
}

void DraftsFile::writeSoon(QObject* owner, const QSettings& settings, const Json& documents) {
    if (documents.is_null() || (documents == written_ && !*failed_)) return;
    written_ = documents;
    const auto write = [name = nameFor(settings), documents, failed = failed_] {
        *failed = true;  // unless what follows returns
        store(name, documents);
        *failed = false;
    };
    ask(owner, SessionFiles(), write, [this, name = nameFor(settings)](const Result<Done>& done) {
        if (!done) reportUnsaved(name, done.problem());
    });
}

void DraftsFile::reportUnsaved(const QString& file, const Problem& problem) const {
    studio_.report(MessageStrip::Message{
        StripKind::Bad, tr("The drafts could not be saved: %1").arg(problem.what), file, {}, QStringLiteral("draftsNotSaved")});
}

}  // namespace heddle::ui
