// SPDX-License-Identifier: GPL-3.0-or-later
// The documents of Compose, the open drafts and the experiment plan, in a file beside the settings.
#pragma once

#include "ui/data/studio.h"

#include <QCoreApplication>

#include <atomic>
#include <functional>
#include <memory>

namespace heddle::ui {

/// {"schema":"heddle.drafts/1","drafts":…,"plan":…}. What cannot be read or written is reported.
class DraftsFile {
    Q_DECLARE_TR_FUNCTIONS(heddle::ui::DraftsFile)

public:
    explicit DraftsFile(Studio& studio) : studio_(studio) {}

    static QString nameFor(const QSettings& settings);
    /// Calls `take` with {"drafts":…,"plan":…} of the file. Where there is no file, the drafts
    /// that older versions kept in the settings are moved into one. If the file cannot be read or `take` throws, it is renamed.
    void read(QSettings& settings, const std::function<void(const Json& documents)>& take) const;
    /// Writes {"drafts":…,"plan":…} whole or not at all, unless the file has them already, and waits for it. Null: writes
    /// nothing.
    void write(const QSettings& settings, const Json& documents) const;
    /// The same off the GUI thread. `owner` must own this object.
    void writeSoon(QObject* owner, const QSettings& settings, const Json& documents);

private:
    void reportUnsaved(const QString& file, const Problem& problem) const;

    Studio& studio_;
    mutable Json written_;  ///< contents of the file unless writing them failed, or is under way
    std::shared_ptr<std::atomic<bool>> failed_ = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace heddle::ui
