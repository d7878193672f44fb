// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/inspect/measurement_table.h"

#include <QCoreApplication>
#include <QHash>
#include <QLocale>

#include <cmath>

namespace heddle::ui::inspect {
namespace {

/// Words outside of a QObject, under a context that lupdate finds.
struct Words {
    Q_DECLARE_TR_FUNCTIONS(heddle::ui::inspect::MeasurementTable)
};

QString plain(double value) { return std::isfinite(value) ? QLocale::c().toString(value, 'g', 9) : QString(); }

/// What was changed or measured, and the effect, in the order of the measurement.
QList<std::pair<QString, const MetricEffect*>> rowsOf(const Measurement& measurement) {
    QList<std::pair<QString, const MetricEffect*>> rows;
    if (const auto* ranking = std::get_if<RankReport>(&measurement.report)) {
        for (const RankReport::Entry& entry : ranking->entries)
            rows.append({QString::fromStdString(textOf(entry.intervention)), &entry.loss});
    } else {
        for (const MetricEffect& effect : std::get<EffectReport>(measurement.report).metrics)
            rows.append({QString::fromStdString(effect.metric), &effect});
    }
    return rows;
}

QStringList changeOf(const MetricEffect& effect) {
    if (!effect.interval) return {plain(effect.difference()), QString(), QString()};
    return {plain(effect.difference()), plain(effect.interval->low), plain(effect.interval->high)};
}

}  // namespace

PlotTable measurementTable(const Measurement& measurement, const Measurement* beside) {
    PlotTable table;
    table.caption = QStringLiteral("%1, step %2: %3")
                        .arg(QString::fromStdString(measurement.run))
                        .arg(measurement.step)
                        .arg(QString::fromStdString(measurement.question()));
    table.columns << Words::tr("measured") << QStringLiteral("n") << Words::tr("trained") << Words::tr("intervened")
                  << Words::tr("change") << Words::tr("95 % from") << Words::tr("95 % to") << Words::tr("p, Holm");
    QHash<QString, const MetricEffect*> others;
    if (beside) {
        table.caption += QStringLiteral("; B: %1, step %2").arg(QString::fromStdString(beside->run)).arg(beside->step);
        table.columns << Words::tr("change of B") << Words::tr("95 % from, B") << Words::tr("95 % to, B");
        for (const auto& [name, effect] : rowsOf(*beside)) others[name] = effect;
    }
    for (const auto& [name, effect] : rowsOf(measurement)) {
        QStringList row{name, QString::number(effect->n), plain(effect->trained), plain(effect->intervened)};
        row << changeOf(*effect) << (effect->corrected ? plain(*effect->corrected) : QString());
        const MetricEffect* other = others.value(name);
        const bool isAlike = other && other->n == effect->n && other->signature == effect->signature;
        if (beside) row << (isAlike ? changeOf(*other) : QStringList{QString(), QString(), QString()});
        table.rows << row;
    }
    return table;
}

}  // namespace heddle::ui::inspect
