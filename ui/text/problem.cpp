// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/text/problem.h"

#include "engine/base/error.h"
#include "storage/records.h"

#include <QCoreApplication>

namespace heddle::ui {
namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(heddle::ui::Problem)
};

/// The advice of a storage error in the words of the window: storage names the option --db, which only commands have.
QString nextInWindow(const storage::StorageError& error) {
    QString next = QString::fromStdString(error.next());
    // RunQuery::open() gives this advice where there is no file. A run that is gone is NotFound as well.
    if (error.kind() == storage::StorageError::Kind::NotFound && next.startsWith(QLatin1String("train a run first")))
        return Words::tr("choose File, New database, to create it, or open another file");
    next.replace(QLatin1String("another --db file"), Words::tr("another database"));
    return next.replace(QLatin1String("another --db"), Words::tr("another database"));
}

}  // namespace

Problem problemOf(const std::exception& error) {
    const auto problem = [](const auto& thrown, const QString& next) -> Problem {
        return {QString::fromStdString(thrown.problem()), QString::fromStdString(thrown.where()), {}, next};
    };
    if (const auto* ours = dynamic_cast<const Error*>(&error)) return problem(*ours, QString::fromStdString(ours->next()));
    if (const auto* stored = dynamic_cast<const storage::StorageError*>(&error)) return problem(*stored, nextInWindow(*stored));
    return {QString::fromUtf8(error.what()), {}, {}, {}};
}

QString wordsOf(const Problem& problem) {
    QString words = problem.what;
    if (!problem.where.isEmpty()) words += QStringLiteral(" (%1)").arg(problem.where);
    if (!problem.next.isEmpty()) words += QStringLiteral(": ") + problem.next;
    return words;
}

}  // namespace heddle::ui
