// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/text/problem.h"

#include "engine/base/error.h"
#include "storage/records.h"

namespace heddle::ui {

Problem problemOf(const std::exception& error) {
    const auto problem = [](const auto& thrown) -> Problem {
        return {QString::fromStdString(thrown.problem()),
                QString::fromStdString(thrown.where()),
                {},
                QString::fromStdString(thrown.next())};
    };
    if (const auto* ours = dynamic_cast<const Error*>(&error)) return problem(*ours);
    if (const auto* stored = dynamic_cast<const storage::StorageError*>(&error)) return problem(*stored);
    return {QString::fromUtf8(error.what()), {}, {}, {}};
}

QString wordsOf(const Problem& problem) {
    return problem.next.isEmpty() ? problem.what : problem.what + QStringLiteral(": ") + problem.next;
}

}  // namespace heddle::ui
