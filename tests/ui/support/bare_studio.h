// SPDX-License-Identifier: GPL-3.0-or-later
// A Studio without databases and without a control.
#pragma once

#include "engine/base/temporary_folder.h"
#include "ui/data/studio.h"

#include <QSettings>

namespace heddle::ui::test {

struct BareStudio {
    TemporaryFolder folder;
    QSettings settings{QString::fromStdString(folder / "settings.ini"), QSettings::IniFormat};
    Studio studio{nullptr, settings};
};

}  // namespace heddle::ui::test
