// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/effect_view.h"

#include "ui/panels/interventions_panel.h"
#include "ui/panels/sentence_panel.h"
#include "ui/text/number.h"
#include "ui/text/units.h"
#include "ui/theme/type.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/small_parts.h"

#include <QBoxLayout>
#include <QHash>
#include <QHeaderView>
#include <QLabel>
#include <QSignalBlocker>
#include <QTableWidget>

namespace heddle::ui {
namespace {

constexpr int kBeside = 4;                      ///< the column of B, hidden without one
constexpr int kSubjectRole = Qt::UserRole + 2;  ///< of the first column: what the row is about

QTableWidgetItem* cell(const QString& text, bool isNumber = true) {
    auto* item = new QTableWidgetItem(text);
    item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
    if (isNumber) {
        item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
        item->setFont(numberFont(Type::Body));
    }
    return item;
}

QTableWidget* emptyTable(const QStringList& headers, const QString& name, QWidget* parent) {
    auto* made = new QTableWidget(0, int(headers.size()), parent);
    made->setHorizontalHeaderLabels(headers);
    made->setAccessibleName(name);
    made->setFrameShape(QFrame::NoFrame);
    made->setSelectionBehavior(QAbstractItemView::SelectRows);
    made->setSelectionMode(QAbstractItemView::SingleSelection);
    made->verticalHeader()->hide();
    made->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    made->horizontalHeader()->setStretchLastSection(true);
    made->verticalHeader()->setDefaultSectionSize(px(22));
    made->setWordWrap(false);
    made->setShowGrid(false);
    made->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    made->setEditTriggers(QAbstractItemView::NoEditTriggers);
    made->setTabKeyNavigation(false);
    return made;
}

/// Loss with four decimals, shares and scores with two of their percent.
int decimalsOf(const std::string& metric) { return metric.find("loss") != std::string::npos ? 4 : 2; }

/// Shares are stored as 0 … 1.
double factorOf(const std::string& metric) { return metric == "accuracy" ? 100 : 1; }

QString metricWords(const std::string& metric, const std::string& signature) {
    if (metric == "loss") {
        const QString unit = unitText(countedBy(metric, signature));
        return unit.isEmpty() ? EffectView::tr("loss") : EffectView::tr("loss, %1").arg(unit);
    }
    if (metric == "accuracy") return EffectView::tr("accuracy, %");
    return QString::fromStdString(metric);
}

/// Equal for effects that can be put beside each other.
QString subjectOf(const QString& name, const MetricEffect& effect) {
    return QStringLiteral("%1\n%2\n%3").arg(name, QString::fromStdString(effect.signature)).arg(effect.n);
}

QString changeOf(const MetricEffect& effect) {
    const double factor = factorOf(effect.metric);
    const int decimals = decimalsOf(effect.metric);
    QString change = signedNumber(effect.difference() * factor, decimals);
    if (!effect.interval) return change;
    return QStringLiteral("%1 [%2, %3]")
        .arg(change, signedNumber(effect.interval->low * factor, decimals),
             signedNumber(effect.interval->high * factor, decimals));
}

/// Of a ranking; a dash where there is no interval.
QString correctedOf(const MetricEffect& effect) {
    if (!effect.corrected) return QStringLiteral("—");
    return *effect.corrected < 0.0001 ? QStringLiteral("< 0.0001") : number(*effect.corrected, 4);
}

QString whyNoInterval(const MetricEffect& effect) {
    return effect.interval ? QString() : EffectView::tr("no interval: %1").arg(QString::fromStdString(effect.whyNoInterval));
}

}  // namespace

QString EffectView::hint() { return tr("Add an intervention, or mute the chosen head with M; then Measure."); }

EffectView::EffectView(QWidget* parent) : QWidget(parent) {
    setMinimumWidth(px(64));  // what is beside it must keep its place
    QVBoxLayout* column = makeColumn(this);
    note_ = new QLabel(this);
    note_->setWordWrap(true);
    note_->setMargin(px(8));
    setCaption(*note_);
    effect_ = emptyTable({tr("metric"), tr("trained"), tr("intervened"), tr("change [95 %]"), tr("B: change [95 %]")},
                         tr("Effects"), this);
    ranking_ = emptyTable({tr("changed"), tr("loss"), tr("change [95 %]"), tr("p, Holm"), tr("B: change [95 %]")},
                          tr("Ranking"), this);
    ranking_->horizontalHeaderItem(3)->setToolTip(
        tr("Probability of such a change if there were none, corrected for all that the ranking tries"));
    outputs_ = new QLabel(this);
    outputs_->setWordWrap(true);
    outputs_->setMargin(px(8));
    outputs_->setTextFormat(Qt::RichText);
    outputs_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    warnings_ = new ElidedLabel(this);
    warnings_->setContentsMargins(px(8), 0, px(8), px(4));
    warnings_->setFont(typeFont(Type::Caption));
    showText(hint());
    column->addWidget(note_);
    column->addWidget(effect_, 1);
    column->addWidget(ranking_, 1);
    column->addWidget(outputs_);
    column->addWidget(warnings_);
    column->addStretch();
    connect(ranking_, &QTableWidget::itemSelectionChanged, this, [this] {
        const auto chosen = ranking_->selectedItems();
        if (chosen.isEmpty()) return;
        const QVariant head = chosen.front()->data(Qt::UserRole + 1);
        if (head.isValid()) Q_EMIT headChosen(chosen.front()->data(Qt::UserRole).toString(), head.toInt());
    });
}

void EffectView::showText(const QString& words) {
    for (QWidget* one : std::initializer_list<QWidget*>{effect_, ranking_, outputs_, warnings_}) one->hide();
    const QSignalBlocker quiet(ranking_);
    for (QTableWidget* one : {effect_, ranking_}) {
        one->setRowCount(0);
        one->setColumnHidden(kBeside, true);
    }
    outputs_->clear();
    warnings_->clear();
    setNote(words);
}

void EffectView::setBeside(const QString& model, const Measurement& other) {
    QHash<QString, const MetricEffect*> effects;
    QTableWidget* const shown = std::holds_alternative<RankReport>(other.report) ? ranking_ : effect_;
    if (const auto* ranking = std::get_if<RankReport>(&other.report)) {
        for (const RankReport::Entry& entry : ranking->entries)
            effects[subjectOf(shortWords(entry.intervention), entry.loss)] = &entry.loss;
    } else {
        for (const MetricEffect& effect : std::get<EffectReport>(other.report).metrics)
            effects[subjectOf(metricWords(effect.metric, effect.signature), effect)] = &effect;
    }
    for (int row = 0; row < shown->rowCount(); ++row) {
        const MetricEffect* effect = effects.value(shown->item(row, 0)->data(kSubjectRole).toString());
        shown->setItem(row, kBeside, cell(effect ? changeOf(*effect) : QStringLiteral("—")));
    }
    shown->horizontalHeaderItem(kBeside)->setToolTip(model);
    shown->setColumnHidden(kBeside, false);
}

void EffectView::setNote(const QString& words) {
    note_->setText(words);
    note_->setToolTip(words);  // a small panel cuts the words
    note_->setVisible(!words.isEmpty());
}

void EffectView::setEffect(const QString& model, const EffectReport& report, const TextEffect& outputs) {
    showText(tr("%1: %2 %3 examples, paired; %4 s")
                 .arg(model, count(report.examples), QString::fromStdString(report.split), number(report.seconds, 1)));
    const auto addRow = [this](const QStringList& cells, const QString& tip) {
        const int row = effect_->rowCount();
        effect_->insertRow(row);
        for (int column = 0; column < int(cells.size()); ++column) {
            QTableWidgetItem* item = cell(cells[column], column > 0);
            item->setToolTip(tip);
            effect_->setItem(row, column, item);
        }
    };
    for (const MetricEffect& effect : report.metrics) {
        const QString metric = metricWords(effect.metric, effect.signature);
        const double factor = factorOf(effect.metric);
        const int decimals = decimalsOf(effect.metric);
        addRow(
            {metric, number(effect.trained * factor, decimals), number(effect.intervened * factor, decimals), changeOf(effect)},
            QStringList{tr("n = %1, %2").arg(count(effect.n), QString::fromStdString(effect.signature)), whyNoInterval(effect)}
                .join(QLatin1Char('\n'))
                .trimmed());
        effect_->item(effect_->rowCount() - 1, 0)->setData(kSubjectRole, subjectOf(metric, effect));
    }
    if (report.metrics.empty())
        for (const auto& value : report.trained)
            if (value.metric != "decode_seconds" && value.metric != "decode_seconds_uncached")
                addRow({metricWords(value.metric, value.signature),
                        number(value.value * factorOf(value.metric), decimalsOf(value.metric)), QString(), QString()},
                       tr("n = %1, %2").arg(count(value.n), QString::fromStdString(value.signature)));
    effect_->show();
    setOutputs(outputs);
    setWarnings(report.warnings);
}

void EffectView::setWarnings(const std::vector<std::string>& warnings) {
    QStringList words;
    for (const std::string& warning : warnings) words << QString::fromStdString(warning);
    warnings_->setText(words.join(QStringLiteral(" · ")));
    warnings_->setToolTip(words.join(QLatin1Char('\n')));
    warnings_->setVisible(!words.isEmpty());
}

void EffectView::setOutputs(const TextEffect& outputs) {
    const QString before = QString::fromStdString(outputs.trained), after = QString::fromStdString(outputs.intervened);
    outputs_->setVisible(!before.isEmpty() || !after.isEmpty());
    outputs_->setText(
        QStringLiteral("<table><tr><td>%1&nbsp;&nbsp;</td><td>%2</td></tr><tr><td>%3</td><td>%4</td></tr></table>")
            .arg(tr("before"), before.toHtmlEscaped(), tr("after"), withDifferences(after, before)));
}

void EffectView::setRanking(const QString& model, const RankReport& report) {
    const bool isWhole = std::ssize(report.entries) == report.all;
    const QString loss = metricWords("loss", report.entries.empty() ? "" : report.entries.front().loss.signature);
    QString words = tr("%1: %2 of %3, sorted by the change of the %7 on %4 examples of the %5 split, %6 s")
                        .arg(model, count(qint64(report.entries.size())), count(report.all), count(report.examples),
                             QString::fromStdString(report.split), number(report.seconds, 1), loss);
    if (!isWhole) words += tr("; stopped");
    showText(words);
    const QSignalBlocker quiet(ranking_);
    for (const RankReport::Entry& entry : report.entries) {
        const int row = ranking_->rowCount();
        ranking_->insertRow(row);
        auto* name = cell(shortWords(entry.intervention), false);
        name->setToolTip(QString::fromStdString(textOf(entry.intervention)));
        name->setFont(typeFont(Type::Mono));
        name->setData(Qt::UserRole, QString::fromStdString(pathOf(entry.intervention)));
        name->setData(kSubjectRole, subjectOf(name->text(), entry.loss));
        if (const auto* mute = std::get_if<MuteHead>(&entry.intervention)) name->setData(Qt::UserRole + 1, int(mute->head));
        ranking_->setItem(row, 0, name);
        ranking_->setItem(row, 1, cell(number(entry.loss.intervened, 4)));
        ranking_->setItem(row, 2, cell(changeOf(entry.loss)));
        ranking_->setItem(row, 3, cell(correctedOf(entry.loss)));
        for (const int column : {2, 3}) ranking_->item(row, column)->setToolTip(whyNoInterval(entry.loss));
    }
    ranking_->show();
}

}  // namespace heddle::ui
