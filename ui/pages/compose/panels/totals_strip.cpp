// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/panels/totals_strip.h"

#include "ui/pages/compose/forms/parts.h"
#include "ui/text/number.h"
#include "ui/text/units.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QPainter>

namespace heddle::ui {
namespace {

/// "1.21 ×": the ratio to the baseline's; empty if that is unknown.
QString ratio(double now, double baseline) {
    return now > 0 && baseline > 0 ? QStringLiteral("%1 ×").arg(number(now / baseline, 2)) : QString();
}

}  // namespace

TotalsStrip::TotalsStrip(const VariantDraft& draft, Studio& studio, QWidget* parent)
    : QWidget(parent), draft_(draft), meter_(studio, this), baselineMeter_(studio, this) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    std::size_t next = 0;
    for (const char* name : {"parameters", "baseline", "difference", "flops", "step", "memory", "vocabulary"})
        figures_[next++] = addFigure(QLatin1String(name));
    row->addStretch();
    setFixedHeight(px(46));
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);  // the docks beside it keep their widths
    connect(&draft, &VariantDraft::changed, this, &TotalsStrip::refresh);
    connect(&draft, &VariantDraft::nameChanged, this, &TotalsStrip::showParameters);
    for (const MemoryMeter* meter : {&meter_, &baselineMeter_})
        connect(meter, &MemoryMeter::changed, this, &TotalsStrip::showMemory);
    refresh();
}

/// Hides figures that do not fit: a number that is cut off reads as another number.
void TotalsStrip::fit() {
    int room = width();
    for (const Figure& figure : figures_) {
        const bool isKnown = !figure.value->text().isEmpty();
        if (isKnown) room -= figure.box->sizeHint().width();
        figure.box->setVisible(isKnown && room >= 0);
    }
}

void TotalsStrip::resizeEvent(QResizeEvent*) { fit(); }

void TotalsStrip::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    measure();
}

void TotalsStrip::measure() {
    meter_.setFacts(isVisible() ? draft_.facts() : nullptr);
    baselineMeter_.setFacts(isVisible() ? draft_.baselineFacts() : nullptr);
    showMemory();
}

TotalsStrip::Figure TotalsStrip::addFigure(const QString& name) {
    Figure figure{new QWidget(this), nullptr, nullptr, nullptr};
    figure.box->setObjectName(name);
    figure.title = makeCaption({}, figure.box);
    figure.value = new QLabel(figure.box);
    figure.value->setObjectName(name + QStringLiteral("Value"));
    QFont font = numberFont(Type::KeyFigure);
    font.setWeight(QFont::DemiBold);
    figure.value->setFont(font);
    figure.note = makeCaption({}, figure.box);
    figure.note->setObjectName(name + QStringLiteral("Note"));
    auto* grid = new QGridLayout(figure.box);
    grid->setContentsMargins(px(10), px(4), px(11), px(4));
    grid->setHorizontalSpacing(px(6));
    grid->setVerticalSpacing(0);
    grid->addWidget(figure.title, 0, 0, 1, 2);
    grid->addWidget(figure.value, 1, 0);
    grid->addWidget(figure.note, 1, 1, Qt::AlignLeft | Qt::AlignBottom);
    layout()->addWidget(figure.box);
    return figure;
}

void TotalsStrip::fill(What what, const Words& words) {
    const Figure& figure = figures_[what];
    figure.title->setText(words.title);
    figure.value->setText(words.value);
    figure.note->setText(words.note);
    figure.note->setVisible(!words.note.isEmpty());
    figure.box->setToolTip(words.tip);
    QString name = QStringLiteral("%1: %2 %3").arg(words.title, words.value, words.note);
    // A screen reader reads each figure by itself, so its text names the baseline.
    if (!words.ratio.isEmpty()) name += tr(", %1 the baseline").arg(words.ratio);
    figure.box->setAccessibleName(name);
}

void TotalsStrip::showParameters() {
    Words words{tr("Parameters"), draft_.facts() ? count(draft_.facts()->cost.parameters) : QString(kNoValue)};
    if (const auto built = draft_.builtParameters()) {
        words.note = tr("≠ %1 in the run").arg(count(*built));
        words.tip = tr("The model of the run was built with %1 parameters. The number shown and the figures of the diagram "
                       "follow from the specification.")
                        .arg(count(*built));
    }
    fill(Parameters, words);
    fit();
}

void TotalsStrip::refresh() {
    showParameters();
    const QString none(kNoValue);
    const auto& facts = draft_.facts();
    const auto& baseline = draft_.baselineFacts();
    fill(Baseline, {tr("Baseline %1").arg(draft_.baselineName()), baseline ? count(baseline->cost.parameters) : none});
    const std::int64_t now = facts ? facts->cost.parameters : 0, before = baseline ? baseline->cost.parameters : 0;
    fill(Difference, {tr("Difference"), facts && baseline ? signedCount(now - before) : none,
                      now == 0 || before == 0 || now == before ? QString() : percent(double(now) / double(before) - 1)});
    const double flops = baseline ? baseline->flops : 0;
    const bool isPair = !facts || facts->variant.topology == Topology::EncoderDecoder;
    fill(Flops,
         {isPair ? tr("FLOPs a token pair") : tr("FLOPs a token"), facts ? scaled(facts->flops) : none,
          facts && flops > 0 && facts->flops != flops ? percent(facts->flops / flops - 1) : QString(),
          isPair ? tr("Forward, one source and one target token, attention over max_len keys; a multiply-add counts as 2.")
                 : tr("Forward, attention over max_len keys; a multiply-add counts as 2.")});
    const bool assumed = facts && (facts->sourceAssumed || facts->targetAssumed);
    Words words{assumed ? tr("Vocabulary, assumed") : tr("Vocabulary")};
    if (facts)
        words.value = QStringLiteral("%1 / %2").arg(count(facts->variant.dims.vocabSrc), count(facts->variant.dims.vocabTgt));
    words.tip = assumed ? tr("The variant takes its vocabulary sizes from the data. These are assumed instead; change them "
                             "under Dimensions.")
                        : tr("Vocabulary sizes of source and target, as the variant states them.");
    fill(Vocabulary, words);
    measure();
}

void TotalsStrip::showStep(const std::optional<StepTime>& step, const std::optional<StepTime>& baseline) {
    Words words{tr("Step, measured")};
    if (step) {
        const double spread = step->seconds > 0 ? (step->most - step->least) / 2 / step->seconds : 0;
        words.value = stepDuration(step->seconds);
        words.note = tr("± %1 %").arg(number(100 * spread, 0));
        words.tip = tr("Time of a training step on this machine, with synthetic text of the draft's batch size");
        words.ratio = ratio(step->seconds, baseline ? baseline->seconds : 0);
        if (!words.ratio.isEmpty()) {
            words.note += QStringLiteral(" · ") + words.ratio;
            words.tip += QStringLiteral("\n") + tr("%1 the baseline's %2").arg(words.ratio, stepDuration(baseline->seconds));
        }
    }
    fill(Step, words);
    fit();
}

void TotalsStrip::showMemory() {
    Words words{tr("Peak memory a step")};
    if (meter_.isAvailable() && draft_.facts()) {
        const BatchShape shape = MemoryMeter::shapeOf(*draft_.facts());
        const QString batch = tr("%1 × %2 tokens").arg(count(shape.sentences), count(shape.source));
        const auto &memory = meter_.memory(), &before = baselineMeter_.memory();
        const auto& pinned = draft_.baselineFacts();
        // Comparable only with the same batch.
        if (memory && before && pinned && MemoryMeter::shapeOf(*pinned).source == shape.source)
            words.ratio = ratio(memory->peakBytes, before->peakBytes);
        words.value = memory ? byteSize(quint64(memory->peakBytes)) : QString(kNoValue);
        if (memory) words.note = words.ratio.isEmpty() ? batch : words.ratio;
        words.tip = meter_.problem();
        if (words.tip.isEmpty())
            words.tip = tr("Parameters, moments, gradients, activations and temporaries in float32, measured on the "
                           "built model for a batch of %1; `heddle variants count --memory` takes other batches.")
                            .arg(batch);
        if (before && pinned) {
            const BatchShape other = MemoryMeter::shapeOf(*pinned);
            words.tip += QStringLiteral("\n") +
                         tr("The baseline: %1, a batch of %2 × %3 tokens")
                             .arg(byteSize(quint64(before->peakBytes)), count(other.sentences), count(other.source));
        }
    }
    fill(Memory, words);
    fit();
}

void TotalsStrip::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), Theme::color(Token::Panel));
    const QColor line = Theme::color(Token::Line);
    painter.fillRect(QRect(0, height() - 1, width(), 1), line);
    for (const Figure& figure : figures_)
        if (figure.box->isVisible()) painter.fillRect(QRect(figure.box->geometry().right(), 0, 1, height()), line);
}

}  // namespace heddle::ui
