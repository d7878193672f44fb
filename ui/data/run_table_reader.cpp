// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/data/run_table_reader.h"

namespace heddle::ui {
namespace {

constexpr std::size_t kRunsAtOnce = 200;  ///< so that other views get their turn between

}  // namespace

RunTableReader::RunTableReader(Databases& databases, Of of, QObject* parent)
    : QObject(parent),
      databases_(databases),
      of_(of),
      reading_(this, [this](Result<FactsReader::Answer> answer) { take(std::move(answer)); }) {
    if (of == Of::Current) {
        connect(&databases, &Databases::currentChanged, this, &RunTableReader::restart);
    } else {  // labels contain the database while several are open
        connect(&databases, &Databases::opened, this, &RunTableReader::restart);
        connect(&databases, &Databases::closed, this, &RunTableReader::restart);
    }
    connect(&databases, &Databases::changed, this, [this](int database) {
        if (of_ == Of::Current && database != databases_.currentNumber()) return;
        due_.insert(database);
        if (reading_.isIdle()) readNext();
    });
    restart();
}

void RunTableReader::setActive(bool active) {
    if (active && !isActive_) readAll();
    isActive_ = active;
    if (reading_.isIdle()) readNext();
}

void RunTableReader::restart() {
    reading_.cancel();
    reader_ = std::make_shared<FactsReader>();  // a reading that is under way keeps the old one
    table_ = std::make_shared<RunTable>();
    due_.clear();
    readAll();
    Q_EMIT restarted();
    readNext();
}

/// All databases have something to read.
void RunTableReader::readAll() {
    for (const RunDatabase* database : databases_.all())
        if (of_ == Of::Open || database == databases_.current()) due_.insert(database->number());
    hasRead_ = due_.empty();
}

/// Call this only while no request waits: a Query keeps one waiting request, and a second would replace it.
void RunTableReader::readNext() {
    while (isActive_ && !due_.empty()) {
        asked_ = due_.extract(due_.begin()).value();
        const RunDatabase* database = databases_.find(asked_);
        if (!database || !database->isOpen()) continue;  // opened() begins anew
        const bool isAlone = of_ == Of::Current || databases_.all().size() == 1;
        const FactsReader::Source source{asked_, isAlone ? QString() : database->name()};
        return reading_.ask(databases_.reader(asked_), [reader = reader_, source](storage::RunQuery& query) {
            return reader->read(query, source, kRunsAtOnce);
        });
    }
}

void RunTableReader::take(Result<FactsReader::Answer> answer) {
    const QString database = QString::number(asked_);
    if (answer && !answer->isWhole) {
        due_.insert(asked_);
        hasRead_ = false;
    }
    bool isNews = due_.empty() && !hasRead_;
    hasRead_ |= due_.empty();
    if (answer) {
        told_.succeeded(database);
        isNews |= answer->table != table_;
        table_ = answer->table;
    } else if (told_.isNew(database, answer.problem())) {
        Q_EMIT failed(answer.problem());
    }
    if (isNews) Q_EMIT changed();
    readNext();
}

}  // namespace heddle::ui
