// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/table/compared_cells.h"

#include "app/study/verdict_words.h"
#include "engine/base/number_text.h"
#include "ui/text/number.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace heddle::ui {
namespace {

using K = Column::Kind;

/// Translates words outside of a QObject, in a context that lupdate finds.
struct ComparedWords {
    Q_DECLARE_TR_FUNCTIONS(heddle::ui::ComparedCells)
};

bool isUsed(const ComparedGroup& group, const Run& run) {
    const auto found = group.runs.find(run.seed);
    return found != group.runs.end() && found->second == run.ref;
}

/// Why no number uses the run; empty for one that is used.
QString whyLeftOut(const ComparedGroup& group, const Run& run) {
    for (const LeftOutOfGroup& one : group.leftOut)
        if (one.run == run.ref) return QString::fromStdString(one.why);
    return {};
}

std::int64_t baselineParameters(const StudyComparison& comparison) {
    const ComparedGroup* baseline = comparison.baselineGroup();
    return baseline ? baseline->parameters : 0;
}

Cell publishedCell(const StudyComparison& comparison, const ComparedGroup& group) {
    return group.published.empty() ? Cell() : numberCell(comparison.scale * group.published.front().value);
}

QString wordOf(Verdict verdict) {
    switch (verdict) {
    case Verdict::Better: return ComparedWords::tr("better");
    case Verdict::Worse: return ComparedWords::tr("worse");
    case Verdict::Equivalent: return ComparedWords::tr("equivalent");
    case Verdict::NotShown: break;
    }
    return ComparedWords::tr("no difference shown");
}

}  // namespace

QString metricText(const StudyComparison& comparison, double stored) {
    return number(comparison.scale * stored, comparison.decimals);
}

QString differenceText(const StudyComparison& comparison, double stored) { return differenceText(comparison.scale, stored); }

QString differenceText(double scale, double stored) {
    const int moved = int(std::lround(std::log10(scale)));
    return signedNumber(scale * stored, std::max(0, decimalsOf(stored) - moved));
}

QString intervalText(const StudyComparison& comparison, const ComparedGroup& group) {
    if (!group.difference) return QString(kNoValue);
    const QString difference = differenceText(comparison, *group.difference);
    const auto interval = group.verdict ? group.verdict->difference.interval : std::nullopt;
    if (!interval) return difference;
    return QStringLiteral("%1 [%2, %3]")
        .arg(difference, differenceText(comparison, interval->low), differenceText(comparison, interval->high));
}

QString ruleText(const ValueRule& rule) {
    switch (rule.kind) {
    case ValueRule::Kind::Best: return ComparedWords::tr("best");
    case ValueRule::Kind::Last: return ComparedWords::tr("last");
    case ValueRule::Kind::AtStep: return ComparedWords::tr("at step %1").arg(count(rule.number));
    default: return QString::fromStdString(rule.text());
    }
}

QString valueTitle(const StudyComparison& comparison) {
    return ComparedWords::tr("%1, %2", "metric, rule of value")
        .arg(metricTitle(comparison.metricKey()), ruleText(comparison.question.metric.rule));
}

QString verdictText(const StudyComparison& comparison, const ComparedGroup& group) {
    if (group.key == comparison.baseline) return ComparedWords::tr("baseline");
    if (!group.verdict) return QString::fromStdString(group.whyNone);
    if (!group.verdict->isLookedAt) {
        const auto& next = group.verdict->next;
        return next.empty() ? ComparedWords::tr("open")
                            : ComparedWords::tr("open: %Ln seed(s) to come", nullptr, int(next.size()));
    }
    if (!group.verdict->difference.p && group.verdict->verdict == Verdict::NotShown)
        return QString::fromStdString(group.verdict->difference.whyNone);
    return wordOf(group.verdict->verdict);
}

Icon verdictIcon(const StudyComparison& comparison, const ComparedGroup& group) {
    if (group.key == comparison.baseline) return Icon::Pin;
    if (!group.verdict || !group.verdict->isLookedAt)
        return group.isUnlike ? Icon::Clamp : group.verdict ? Icon::Clock : Icon::Warning;
    switch (group.verdict->verdict) {
    case Verdict::Better:
    case Verdict::Worse: return Icon::Difference;
    case Verdict::Equivalent: return Icon::Check;
    case Verdict::NotShown: break;
    }
    return Icon::NoDifference;
}

Token verdictColour(const ComparedGroup& group) {
    if (group.verdict) return Token::Text;
    return group.isUnlike ? Token::Intr : group.whyNone.empty() ? Token::Accent : Token::Warn;
}

Cell comparedCell(const Column& column, const StudyComparison& comparison, const ComparedGroup& group) {
    switch (column.kind) {
    case K::Added:
        if (group.key == comparison.baseline || group.parameters == 0 || baselineParameters(comparison) == 0) return {};
        return numberCell(double(group.parameters - baselineParameters(comparison)));
    case K::Value: return group.spread ? numberCell(comparison.scale * group.spread->mean) : Cell();
    case K::Difference:
    case K::Interval: return group.difference ? numberCell(comparison.scale * *group.difference) : Cell();
    case K::Verdict: return textCell(verdictText(comparison, group));
    case K::Published: return publishedCell(comparison, group);
    default: return {};
    }
}

Cell comparedCell(const Column& column, const StudyComparison& comparison, const ComparedGroup& group, const RunFacts& run) {
    const ComparedGroup* baseline = comparison.baselineGroup();
    switch (column.kind) {
    case K::Value: {
        const auto found = run.evaluations.find(comparison.valueKey);
        if (found == run.evaluations.end()) return {};
        const StudyMetric& metric = comparison.question.metric;
        const auto value = valueBy(metric.rule, found->second, metric.lowerIsBetter);
        return value ? numberCell(comparison.scale * *value) : Cell();
    }
    case K::Difference:
    case K::Interval: {
        if (!baseline || group.key == baseline->key || !isUsed(group, run.record)) return {};
        const auto difference = group.differenceOf(run.record.seed, *baseline);
        return difference ? numberCell(comparison.scale * *difference) : Cell();
    }
    case K::Verdict: return textCell(whyLeftOut(group, run.record));
    case K::Published: return isReproduced(run.record) ? publishedCell(comparison, group) : Cell();
    default: return {};
    }
}

QString comparedText(const Column& column, const Cell& cell, const StudyComparison& comparison, const ComparedGroup* group) {
    const bool isShown = column.kind != K::Interval;
    if (cell.isEmpty() || !isShown) return {};
    switch (column.kind) {
    case K::Added: return signedNumber(cell.number, 0);
    case K::Value:
        if (!group || !group->spread->deviation) return number(cell.number, comparison.decimals);
        return ComparedWords::tr("%1 ± %2").arg(metricText(comparison, group->spread->mean),
                                                metricText(comparison, *group->spread->deviation));
    case K::Difference:
        return group ? intervalText(comparison, *group) : differenceText(comparison, cell.number / comparison.scale);
    case K::Published: {
        QStringList printed;
        for (const PublishedValue& value : group ? group->published : std::vector<PublishedValue>())
            printed << QString::fromStdString(value.printed) +
                           (value.isQuick ? QStringLiteral(" ") + kNotComparable : QString());
        return printed.join(QStringLiteral(", "));
    }
    default: return cell.text;
    }
}

QString publishedText(const PublishedValue& value) {
    const auto of = [](const std::string& words) { return QString::fromStdString(words); };
    QStringList parts{QStringLiteral("%1: %2.").arg(of(value.source), of(value.printed))};
    if (!value.reading.empty()) parts << ComparedWords::tr("Measured beside it: %1.").arg(of(value.reading));
    if (value.isQuick)
        parts << ComparedWords::tr("%1 This is the quick version, not comparable with the printed value.").arg(kNotComparable);
    if (!value.differs.empty()) parts << ComparedWords::tr("The run differs from the paper:");
    for (const std::string& sentence : value.differs) parts << of(sentence);
    return parts.join(QLatin1Char(' '));
}

QString comparedTip(const Column& column, const StudyComparison& comparison, const ComparedGroup& group) {
    QStringList lines;
    if (column.kind == K::Published) {  // as rich text, whose long lines are broken
        for (const PublishedValue& value : group.published)
            lines << QStringLiteral("<p>%1</p>").arg(publishedText(value).toHtmlEscaped());
        return lines.join(QString());
    }
    if (column.kind == K::Value)
        lines << ComparedWords::tr("%1: mean ± standard deviation of %2 of %3 seeds", "metric")
                     .arg(valueTitle(comparison), count(qint64(group.values.size())), count(qint64(group.available)));
    const Judged* judged = comparison.judgedOf(group);
    if (judged && column.kind != K::Value && column.kind != K::Added) {
        lines << QString::fromStdString(app::testWords(judged->study, judged->verdict));
        if (const auto& difference = group.verdict->difference; difference.n > 0)
            lines << (group.test == SeedTest::Paired
                          ? ComparedWords::tr("%Ln pair(s) of equal seeds", nullptr, int(difference.n))
                          : ComparedWords::tr("%1 and %2 runs")
                                .arg(count(qint64(difference.n)), count(qint64(difference.nBaseline))));
        if (group.verdict->correctedP)
            lines << ComparedWords::tr("p %1, corrected").arg(QString::fromStdString(app::pText(*group.verdict->correctedP)));
        lines << QString::fromStdString(app::coverWords(judged->study));
    } else if (!group.whyNone.empty()) {
        lines << QString::fromStdString(group.whyNone);
    }
    for (const LeftOutOfGroup& one : group.leftOut) {
        if (lines.size() > 12) break;
        lines << ComparedWords::tr("Left out: seed %1 %2", "seed, why")
                     .arg(QString::number(one.seed), QString::fromStdString(one.why));
    }
    return lines.join(QLatin1Char('\n'));
}

QString comparedTitle(const Column& column, const StudyComparison& comparison) {
    if (column.kind == K::Value) return valueTitle(comparison);
    if (column.kind != K::Difference) return column.title();
    for (const auto& judged : comparison.judged)
        if (judged) return ComparedWords::tr("Difference [%1 %]").arg(number(app::confidenceOf(judged->study), 0));
    return column.title();
}

QString comparisonNote(const StudyComparison& comparison, const std::unordered_map<std::string, QString>& names) {
    const auto found = names.find(comparison.baseline);
    const QString baseline = found == names.end() ? ComparedWords::tr("a group that the filter hides") : found->second;
    QStringList parts{valueTitle(comparison), ComparedWords::tr("differences against %1").arg(baseline)};
    parts << (comparison.isAsked ? ComparedWords::tr("asked before the runs were seen")
                                 : ComparedWords::tr("chosen after the runs were seen"));
    if (comparison.noiseReach)
        parts << ComparedWords::tr("noise floor ± %1 (pooled sd %2, %Ln group(s))", nullptr, int(comparison.noise->groups))
                     .arg(metricText(comparison, *comparison.noiseReach), metricText(comparison, comparison.noise->deviation));
    return parts.join(QStringLiteral(" · "));
}

IntervalGlyph glyphOf(const StudyComparison& comparison, const ComparedGroup& group, const RunFacts* run) {
    const double scale = comparison.scale;
    IntervalGlyph glyph;
    glyph.reach = scale * comparison.reach;
    if (comparison.noiseReach) glyph.noise = scale * *comparison.noiseReach;
    if (run) {
        glyph.isGroup = false;
        const ComparedGroup* baseline = comparison.baselineGroup();
        if (!baseline || group.key == baseline->key || !isUsed(group, run->record)) return glyph;
        glyph.difference = group.differenceOf(run->record.seed, *baseline);
        if (glyph.difference) *glyph.difference *= scale;
        return glyph;
    }
    if (group.difference) glyph.difference = scale * *group.difference;
    if (group.verdict && group.verdict->difference.interval)
        glyph.interval =
            Interval{scale * group.verdict->difference.interval->low, scale * group.verdict->difference.interval->high};
    return glyph;
}

}  // namespace heddle::ui
