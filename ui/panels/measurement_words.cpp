// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/measurement_words.h"

#include "ui/panels/effect_view.h"
#include "ui/panels/intervention_list.h"
#include "ui/text/number.h"

#include <QStringList>

#include <variant>

namespace heddle::ui {
namespace {

QString wordsOfRanking(const RankReport& ranking) {
    const bool ofHeads = ranking.isOfHeads();
    if (ranking.kind() == "mean")
        return ofHeads ? EffectView::tr("Ranking of heads by mean") : EffectView::tr("Ranking of gates by mean");
    if (ranking.kind() == "resample")
        return ofHeads ? EffectView::tr("Ranking of heads by resample") : EffectView::tr("Ranking of gates by resample");
    return ofHeads ? EffectView::tr("Ranking of heads") : EffectView::tr("Ranking of gates");
}

}  // namespace

QString wordsOfMeasurement(const Measurement& measurement) {
    QStringList words;
    if (const auto* ranking = std::get_if<RankReport>(&measurement.report)) words << wordsOfRanking(*ranking);
    for (const Intervention& one : measurement.interventions) words << wordsOf(one) + QLatin1Char(' ') + shortWords(one);
    const QString on = std::visit(
        [](const auto& report) {
            return EffectView::tr("%1, %2 examples").arg(QString::fromStdString(report.split), count(report.examples));
        },
        measurement.report);
    return EffectView::tr("%1 · %2", "what was measured, and on what").arg(words.join(QStringLiteral(", ")), on);
}

QString ablationWords(const RankReport& report) {
    const std::string kind = report.kind();
    if (kind == "mean") return EffectView::tr("mean ablation, over the positions of these examples");
    if (kind == "resample") return EffectView::tr("resample ablation, seed %1").arg(kResampleSeed);
    if (kind == "mute") return EffectView::tr("zero ablation");
    return EffectView::tr("each held at %1").arg(std::get<ClampExposure>(report.entries.front().intervention).value);
}

}  // namespace heddle::ui
