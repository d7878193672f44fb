// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/data/databases.h"

#include <QDir>
#include <QFileInfo>

#include <algorithm>
#include <utility>

namespace heddle::ui {

Databases::Databases(QObject* parent) : QObject(parent) {}

int Databases::open(const QString& name) {
    const QString file = QFileInfo(name).absoluteFilePath();
    for (const RunDatabase* open : all_)
        if (open->file() == file) return open->number();
    auto* database = new RunDatabase(++last_, file, this);
    all_.push_back(database);
    database->setWatched(watched_);
    if (nameAll()) gatherRuns();
    connect(database, &RunDatabase::opened, this, [this, number = last_] {
        notifyCurrent();
        Q_EMIT opened(number);
    });
    connect(database, &RunDatabase::failed, this, [this, database](const Problem& problem) { fail(*database, problem); });
    connect(database, &RunDatabase::unreadable, this, &Databases::unreadable);
    connect(database, &RunDatabase::damaged, this, &Databases::damaged);
    connect(database, &RunDatabase::changed, this, [this, number = last_] { Q_EMIT changed(number); });
    connect(database, &RunDatabase::runsChanged, this, &Databases::gatherRuns);
    connect(database, &RunDatabase::progressed, this, &Databases::progressed);
    database->open();
    return database->number();
}

void Databases::close(int number) {
    if (RunDatabase* database = find(number)) drop(*database);
}

void Databases::closeAll() {
    current_ = 0;
    while (!all_.empty()) drop(*all_.back());
}

RunDatabase* Databases::find(int number) const {
    const auto found =
        std::find_if(all_.begin(), all_.end(), [number](const auto* database) { return database->number() == number; });
    return found == all_.end() ? nullptr : *found;
}

RunDatabase* Databases::current() const {
    RunDatabase* database = find(current_);
    return database && database->isOpen() ? database : nullptr;
}

void Databases::setCurrent(int number) {
    current_ = number;
    notifyCurrent();
}

const Run* Databases::run(const RunRef& ref) const {
    const RunDatabase* database = find(ref.database);
    return database ? database->run(ref.id) : nullptr;
}

const Run* Databases::runWithId(const std::string& id) const {
    if (const Run* run = current() ? current()->run(id) : nullptr) return run;
    for (const RunDatabase* database : all_)
        if (const Run* run = database->run(id)) return run;
    return nullptr;
}

QString Databases::fileOf(const RunRef& ref) const {
    const RunDatabase* database = find(ref.database);
    return database ? database->file() : QString();
}

void Databases::setWatched(bool watched) {
    watched_ = watched;
    for (RunDatabase* database : all_) database->setWatched(watched);
}

void Databases::fail(RunDatabase& database, const Problem& problem) {
    drop(database);
    Q_EMIT failed(problem);
}

void Databases::drop(RunDatabase& database) {
    const int number = database.number();
    disconnect(&database, nullptr, this, nullptr);
    std::erase(all_, &database);
    database.close();
    if (current_ == number) current_ = all_.empty() ? 0 : all_.front()->number();
    nameAll();
    gatherRuns();
    notifyCurrent();
    Q_EMIT closed(number);
}

/// Adds the folder to the names of files that have the same name. Returns whether the labels of runs changed.
bool Databases::nameAll() {
    bool isOther = false;
    for (RunDatabase* database : all_) {
        const QFileInfo file(database->file());
        const auto namesakes = std::count_if(all_.begin(), all_.end(), [&](const RunDatabase* other) {
            return QFileInfo(other->file()).fileName() == file.fileName();
        });
        const QString name = namesakes > 1 ? file.dir().dirName() + QLatin1Char('/') + file.fileName() : file.fileName();
        const auto naming = all_.size() > 1 ? RunDatabase::Naming::BesideOthers : RunDatabase::Naming::Alone;
        isOther = database->setName(name, naming) || isOther;
    }
    return isOther;
}

void Databases::gatherRuns() {
    runs_.clear();
    for (const RunDatabase* database : all_)
        for (const Run& run : database->runs()) runs_.push_back(&run);
    std::stable_sort(runs_.begin(), runs_.end(), [](const Run* a, const Run* b) { return a->created > b->created; });
    Q_EMIT runsChanged();
}

void Databases::notifyCurrent() {
    const int now = currentNumber();
    if (now != std::exchange(notified_, now)) Q_EMIT currentChanged();
}

}  // namespace heddle::ui
