// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/effect_view.h"

#include "ui/panels/intervention_list.h"
#include "ui/panels/measurement_words.h"
#include "ui/panels/number_table.h"
#include "ui/panels/sentence_panel.h"
#include "ui/text/number.h"
#include "ui/text/units.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"
#include "ui/widgets/small_parts.h"

#include <QBoxLayout>
#include <QHash>
#include <QHeaderView>
#include <QLabel>
#include <QSignalBlocker>
#include <QTableWidget>

namespace heddle::ui {
namespace {

constexpr int kColumnOfB = 4;  ///< hidden without B

/// An effect and its row header: the changed part in a ranking, else the metric.
struct EffectRow {
    QString name;
    const MetricEffect* effect;
};

/// In the order of the measurement.
QList<EffectRow> rowsOf(const Measurement& measurement) {
    QList<EffectRow> rows;
    if (const auto* ranking = std::get_if<RankReport>(&measurement.report)) {
        for (const RankReport::Entry& entry : ranking->entries)
            rows.append({QString::fromStdString(textOf(entry.intervention)), &entry.loss});
    } else {
        for (const MetricEffect& effect : std::get<EffectReport>(measurement.report).metrics)
            rows.append({QString::fromStdString(effect.metric), &effect});
    }
    return rows;
}

/// The effects of B that are comparable with those of A: measured on the same data by the same rule. A row for each of A's,
/// null where B has none.
QList<const MetricEffect*> effectsBeside(const Measurement& a, const Measurement& b) {
    QHash<QString, const MetricEffect*> others;
    for (const auto& [name, effect] : rowsOf(b)) others[name] = effect;
    QList<const MetricEffect*> beside;
    for (const auto& [name, effect] : rowsOf(a)) {
        const MetricEffect* other = others.value(name);
        beside << (other && other->n == effect->n && other->signature == effect->signature ? other : nullptr);
    }
    return beside;
}

void addRow(QTableWidget& table, const QStringList& cells, const QString& tip) {
    const int row = table.rowCount();
    table.insertRow(row);
    for (int column = 0; column < int(cells.size()); ++column) {
        auto* item = new TableCell(cells[column], column > 0 ? TableCell::Kind::Number : TableCell::Kind::Text);
        item->setToolTip(tip);
        table.setItem(row, column, item);
    }
}

QTableWidget* emptyTable(const char* id, const QStringList& headers, const QString& name, QWidget* parent) {
    QTableWidget* made = makeNumberTable(id, headers, name, parent);
    made->horizontalHeader()->setStretchLastSection(true);
    made->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    return made;
}

/// Loss with four decimals, shares and scores as percent with two.
int decimalsOf(const std::string& metric) { return metric.find("loss") != std::string::npos ? 4 : 2; }

/// Shares are stored as 0 … 1.
double factorOf(const std::string& metric) { return metric == "accuracy" ? 100 : 1; }

QString metricLabel(const std::string& metric, const std::string& signature) {
    if (metric == "loss") {
        const QString unit = unitText(countedBy(metric, signature));
        return unit.isEmpty() ? EffectView::tr("loss") : EffectView::tr("loss, %1").arg(unit);
    }
    if (metric == "accuracy") return EffectView::tr("accuracy, %");
    return QString::fromStdString(metric);
}

/// In a ranking, the interval holds for all its changes together; rankings of older versions have no such interval.
const std::optional<DifferenceInterval>& shownInterval(const MetricEffect& effect) {
    return effect.corrected ? effect.simultaneous : effect.interval;
}

QString changeOf(const MetricEffect& effect) {
    const double factor = factorOf(effect.metric);
    const int decimals = decimalsOf(effect.metric);
    QString change = signedNumber(effect.difference() * factor, decimals);
    const auto& interval = shownInterval(effect);
    if (!interval) return change;
    return QStringLiteral("%1 [%2, %3]")
        .arg(change, signedNumber(interval->low * factor, decimals), signedNumber(interval->high * factor, decimals));
}

/// The corrected p value in a ranking; a dash without an interval.
QString correctedOf(const MetricEffect& effect) {
    if (!effect.corrected) return QStringLiteral("—");
    return *effect.corrected < 0.0001 ? QStringLiteral("< 0.0001") : number(*effect.corrected, 4);
}

QStringList exportedChange(const MetricEffect* effect) {
    if (!effect || !shownInterval(*effect))
        return {effect ? exportedNumber(effect->difference()) : QString(), QString(), QString()};
    return {exportedNumber(effect->difference()), exportedNumber(shownInterval(*effect)->low),
            exportedNumber(shownInterval(*effect)->high)};
}

QString whyNoInterval(const MetricEffect& effect) {
    if (effect.interval && !shownInterval(effect))
        return EffectView::tr("measured before intervals held for all changes of a ranking: rank again");
    return effect.interval ? QString() : EffectView::tr("no interval: %1").arg(QString::fromStdString(effect.whyNoInterval));
}

}  // namespace

EffectView::EffectView(QWidget* parent) : QWidget(parent) {
    setMinimumWidth(px(64));  // the list beside it must not be pushed out
    QVBoxLayout* column = makeColumn(this);
    note_ = new QLabel(this);
    note_->setWordWrap(true);
    note_->setMargin(px(8));
    setCaption(*note_);
    effect_ =
        emptyTable("effects", {tr("metric"), tr("trained"), tr("intervened"), tr("change [95 %]"), tr("B: change [95 %]")},
                   tr("Effects"), this);
    ranking_ = emptyTable(
        "ranking", {tr("changed"), tr("loss"), tr("change [95 % for all]"), tr("p, Holm"), tr("B: change [95 % for all]")},
        tr("Ranking"), this);
    ranking_->horizontalHeaderItem(3)->setToolTip(
        tr("Probability of a change this large without an effect, corrected for the number of changes in the ranking"));
    outputs_ = new QLabel(this);
    outputs_->setWordWrap(true);
    outputs_->setMargin(px(8));
    outputs_->setTextFormat(Qt::RichText);
    outputs_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    warnings_ = new ElidedLabel(this);
    warnings_->setContentsMargins(px(8), 0, px(8), px(4));
    warnings_->setFont(typeFont(Type::Caption));
    column->addWidget(note_);
    column->addWidget(effect_, 1);
    column->addWidget(ranking_, 1);
    column->addWidget(outputs_);
    column->addWidget(warnings_);
    column->addStretch();
    setShown({});
    connect(&Theme::instance(), &Theme::changed, this, &EffectView::showOutputs);  // they have colours of the theme
    connect(ranking_, &QTableWidget::itemSelectionChanged, this, [this] {
        const auto* ranking = shown_.a ? std::get_if<RankReport>(&shown_.a->report) : nullptr;
        const QModelIndexList rows = ranking_->selectionModel()->selectedRows();
        if (!ranking || rows.isEmpty()) return;
        if (const auto head = headOf(ranking->entries[std::size_t(rows.front().row())].intervention))
            Q_EMIT headChosen(QString::fromStdString(head->path), int(head->head));
    });
}

void EffectView::setShown(const Shown& shown) {
    shown_ = shown;
    for (QWidget* one : std::initializer_list<QWidget*>{effect_, ranking_, outputs_, warnings_}) one->hide();
    const QSignalBlocker blocker(ranking_);
    for (QTableWidget* one : {effect_, ranking_}) one->setRowCount(0);
    setNote(shown_.words);
    if (!shown_.a) return;
    if (const auto* ranking = std::get_if<RankReport>(&shown_.a->report))
        showRanking(*ranking);
    else
        showEffect(std::get<EffectReport>(shown_.a->report));
}

void EffectView::showChangesOfB(QTableWidget& table) const {
    table.setColumnHidden(kColumnOfB, !shown_.b);
    table.show();
    if (!shown_.b) return;
    table.horizontalHeaderItem(kColumnOfB)->setToolTip(shown_.modelB);
    int row = 0;
    for (const MetricEffect* effect : effectsBeside(*shown_.a, *shown_.b))
        table.setItem(row++, kColumnOfB,
                      new TableCell(effect ? changeOf(*effect) : QStringLiteral("—"), TableCell::Kind::Number));
}

void EffectView::setNote(const QString& words) {
    note_->setText(words);
    note_->setToolTip(words);  // a narrow panel cuts the text
    note_->setVisible(!words.isEmpty());
}

void EffectView::showEffect(const EffectReport& report) {
    //: A model, the number of examples, their split and a duration in seconds.
    setNote(tr("%1: %2 %3 examples, paired; %4 s")
                .arg(shown_.modelA, count(report.examples), QString::fromStdString(report.split), number(report.seconds, 1)));
    const auto measuredOn = [](const auto& value) {
        return tr("n = %1, %2").arg(count(value.n), QString::fromStdString(value.signature));
    };
    for (const MetricEffect& effect : report.metrics) {
        const double factor = factorOf(effect.metric);
        const int decimals = decimalsOf(effect.metric);
        addRow(*effect_,
               {metricLabel(effect.metric, effect.signature), number(effect.trained * factor, decimals),
                number(effect.intervened * factor, decimals), changeOf(effect)},
               (measuredOn(effect) + QLatin1Char('\n') + whyNoInterval(effect)).trimmed());
    }
    if (report.metrics.empty())
        for (const auto& value : report.trained)
            if (value.metric != "decode_seconds" && value.metric != "decode_seconds_uncached")
                addRow(*effect_,
                       {metricLabel(value.metric, value.signature),
                        number(value.value * factorOf(value.metric), decimalsOf(value.metric)), QString(), QString()},
                       measuredOn(value));
    showChangesOfB(*effect_);
    showOutputs();
    showWarnings(report.warnings);
}

void EffectView::showWarnings(const std::vector<std::string>& warnings) {
    QStringList words;
    for (const std::string& warning : warnings) words << QString::fromStdString(warning);
    warnings_->setText(words.join(QStringLiteral(" · ")));
    warnings_->setToolTip(words.join(QLatin1Char('\n')));
    warnings_->setVisible(!words.isEmpty());
}

void EffectView::showOutputs() {
    if (!shown_.outputs) return;
    const QString before = QString::fromStdString(shown_.outputs->trained),
                  after = QString::fromStdString(shown_.outputs->intervened);
    outputs_->setVisible(!before.isEmpty() || !after.isEmpty());
    outputs_->setText(
        QStringLiteral("<table><tr><td>%1&nbsp;&nbsp;</td><td>%2</td></tr><tr><td>%3</td><td>%4</td></tr></table>")
            .arg(tr("before"), before.toHtmlEscaped(), tr("after"), withDifferences(after, before)));
}

void EffectView::showRanking(const RankReport& report) {
    const QString loss = metricLabel("loss", report.entries.empty() ? "" : report.entries.front().loss.signature);
    ranking_->horizontalHeaderItem(2)->setToolTip(
        tr("At 95 % the intervals of all %L1 changes hold together (Bonferroni)").arg(report.all));
    QString words = tr("%1: %2 of %3, sorted by the change of the %7 on %4 examples of the %5 split, %6 s")
                        .arg(shown_.modelA, count(qint64(report.entries.size())), count(report.all), count(report.examples),
                             QString::fromStdString(report.split), number(report.seconds, 1), loss);
    if (!report.entries.empty()) words += QStringLiteral("; ") + ablationWords(report);
    if (std::ssize(report.entries) != report.all) words += tr("; stopped");
    setNote(words);
    for (const RankReport::Entry& entry : report.entries) {
        addRow(
            *ranking_,
            {shortWords(entry.intervention), number(entry.loss.intervened, 4), changeOf(entry.loss), correctedOf(entry.loss)},
            whyNoInterval(entry.loss));
        QTableWidgetItem* name = ranking_->item(ranking_->rowCount() - 1, 0);
        name->setToolTip(QString::fromStdString(textOf(entry.intervention)));
        name->setFont(typeFont(Type::Mono));
    }
    showChangesOfB(*ranking_);
    showWarnings(report.warnings);
}

PlotTable EffectView::table() const {
    PlotTable table;
    if (!shown_.a) return table;
    const auto model = [](const Measurement& one) {
        return QStringLiteral("%1, step %2").arg(QString::fromStdString(one.run)).arg(one.step);
    };
    table.caption = QStringLiteral("%1: %2").arg(model(*shown_.a), QString::fromStdString(shown_.a->question()));
    const bool isRanking = std::holds_alternative<RankReport>(shown_.a->report);
    table.columns << tr("measured") << QStringLiteral("n") << tr("trained") << tr("intervened") << tr("change")
                  << (isRanking ? tr("95 % for all, from") : tr("95 % from"))
                  << (isRanking ? tr("95 % for all, to") : tr("95 % to")) << tr("p, Holm");
    for (const auto& [name, effect] : rowsOf(*shown_.a))
        table.rows << QStringList{name, QString::number(effect->n), exportedNumber(effect->trained),
                                  exportedNumber(effect->intervened)} +
                          exportedChange(effect) +
                          QStringList{effect->corrected ? exportedNumber(*effect->corrected) : QString()};
    if (!shown_.b) return table;
    table.caption += QStringLiteral("; B: %1").arg(model(*shown_.b));
    table.columns << tr("change of B") << (isRanking ? tr("95 % for all, from, B") : tr("95 % from, B"))
                  << (isRanking ? tr("95 % for all, to, B") : tr("95 % to, B"));
    qsizetype row = 0;
    for (const MetricEffect* effect : effectsBeside(*shown_.a, *shown_.b)) table.rows[row++] += exportedChange(effect);
    return table;
}

}  // namespace heddle::ui
