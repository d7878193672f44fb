// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/data/run_table_reader.h"

namespace heddle::ui {
namespace {

constexpr std::size_t kRunsAtOnce = 200;  ///< so that other views can read in between

}  // namespace

RunTableReader::RunTableReader(Databases& databases, Scope scope, QObject* parent)
    : QObject(parent),
      databases_(databases),
      scope_(scope),
      reading_(this, [this](Result<FactsReader::Answer> answer) { take(std::move(answer)); }) {
    if (scope == Scope::Current) {
        connect(&databases, &Databases::currentChanged, this, &RunTableReader::restart);
    } else {  // labels contain the database while several are open
        connect(&databases, &Databases::opened, this, &RunTableReader::restart);
        connect(&databases, &Databases::closed, this, &RunTableReader::restart);
    }
    connect(&databases, &Databases::changed, this, [this](int database) {
        if (scope_ == Scope::Current && database != databases_.currentNumber()) return;
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
    reader_ = std::make_shared<FactsReader>();  // a read under way uses the old one
    table_ = std::make_shared<RunTable>();
    due_.clear();
    readAll();
    Q_EMIT restarted();
    readNext();
}

/// Marks all databases as due.
void RunTableReader::readAll() {
    for (const RunDatabase* database : databases_.all())
        if (scope_ == Scope::Open || database == databases_.current()) due_.insert(database->number());
    hasRead_ = due_.empty();
}

/// Call this only while no request waits: a Query keeps only one waiting request.
void RunTableReader::readNext() {
    while (isActive_ && !due_.empty()) {
        current_ = due_.extract(due_.begin()).value();
        const RunDatabase* database = databases_.find(current_);
        if (!database || !database->isOpen()) continue;  // opened() restarts the reading
        const bool isAlone = scope_ == Scope::Current || databases_.all().size() == 1;
        const FactsReader::Source source{current_, isAlone ? QString() : database->name()};
        return reading_.ask(databases_.reader(current_), [reader = reader_, source](storage::RunQuery& query) {
            return reader->read(query, source, kRunsAtOnce);
        });
    }
}

void RunTableReader::take(Result<FactsReader::Answer> answer) {
    const QString database = QString::number(current_);
    if (answer && !answer->isWhole) {
        due_.insert(current_);
        hasRead_ = false;
    }
    bool hasChanged = due_.empty() && !hasRead_;
    hasRead_ |= due_.empty();
    if (answer) {
        reported_.succeeded(database);
        hasChanged |= answer->table != table_;
        table_ = answer->table;
    } else if (reported_.isNew(database, answer.problem())) {
        Q_EMIT failed(answer.problem());
    }
    if (hasChanged) Q_EMIT changed();
    readNext();
}

}  // namespace heddle::ui
