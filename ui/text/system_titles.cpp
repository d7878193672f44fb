// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/text/system_titles.h"

#include <QCoreApplication>

#include <algorithm>

namespace heddle::ui {
namespace {

/// Translates words outside of a QObject, in a context that lupdate finds.
struct SystemWords {
    Q_DECLARE_TR_FUNCTIONS(heddle::ui::SystemTitles)
};

}  // namespace

const SystemSeries* findSystemSeries(std::string_view name) {
    const auto found = std::find_if(kSystemSeries.begin(), kSystemSeries.end(),
                                    [name](const SystemSeries& series) { return series.name == name; });
    return found == kSystemSeries.end() ? nullptr : &*found;
}

QString systemTitle(const SystemSeries& series) {
    if (series.name == kCpuUse.name) return SystemWords::tr("CPU, cores");
    if (series.name == kResidentMemory.name) return SystemWords::tr("Memory of the process, MiB");
    if (series.name == kGpuUse.name) return SystemWords::tr("GPU, %");
    if (series.name == kGpuMemory.name) return SystemWords::tr("GPU memory, MiB");
    if (series.name == kGpuTemperature.name) return SystemWords::tr("GPU temperature, °C");
    return SystemWords::tr("GPU power, W");
}

}  // namespace heddle::ui
