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

/// The advice of a storage error: the window can make the database that is missing.
QString nextInWindow(const storage::StorageError& error) {
    return error.kind() == storage::StorageError::Kind::NoDatabase
               ? Words::tr("choose File, New database, to create it, or open another file")
               : QString::fromStdString(error.next());
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
