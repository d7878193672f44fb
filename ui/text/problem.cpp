// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/text/problem.h"

#include "engine/base/error.h"
#include "storage/records.h"

namespace heddle::ui {

Problem problemOf(const std::exception& error) {
    if (const auto* ours = dynamic_cast<const Error*>(&error))
        return {QString::fromStdString(ours->problem()),
                QString::fromStdString(ours->where()),
                {},
                QString::fromStdString(ours->next())};
    if (const auto* stored = dynamic_cast<const storage::StorageError*>(&error))
        return {QString::fromStdString(stored->problem()),
                QString::fromStdString(stored->where()),
                {},
                QString::fromStdString(stored->next())};
    return {QString::fromUtf8(error.what()), {}, {}, {}};
}

}  // namespace heddle::ui
