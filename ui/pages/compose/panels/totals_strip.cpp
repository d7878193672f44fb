// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/panels/totals_strip.h"

#include "ui/pages/compose/draft/memory_meter.h"
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

/// "1.21 ×": times what the baseline takes; empty where that is not known.
QString ratio(double now, double baseline) {
    return now > 0 && baseline > 0 ? QStringLiteral("%1 ×").arg(number(now / baseline, 2)) : QString();
}

/// A screen reader reads the figure alone: it must say what the ratio is to.
void speakRatio(QWidget& box, const QString& ratio) {
    if (!ratio.isEmpty()) box.setAccessibleName(box.accessibleName() + TotalsStrip::tr(", %1 the baseline").arg(ratio));
}

}  // namespace

TotalsStrip::TotalsStrip(QWidget* parent) : QWidget(parent) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    parameters_ = addFigure();
    baseline_ = addFigure();
    difference_ = addFigure();
    flops_ = addFigure();
    step_ = addFigure();
    step_.known = false;
    memory_ = addFigure();
    memory_.known = false;
    words_ = addFigure();
    row->addStretch();
    setFixedHeight(px(46));
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);  // the panels beside need their widths more
}

/// A figure is shown whole or not at all: half a number is a wrong one.
void TotalsStrip::fit() {
    int room = width();
    for (const Figure* figure : {&parameters_, &baseline_, &difference_, &flops_, &step_, &memory_, &words_}) {
        if (figure->known) room -= figure->box->sizeHint().width();
        figure->box->setVisible(figure->known && room >= 0);
    }
}

void TotalsStrip::resizeEvent(QResizeEvent*) { fit(); }

TotalsStrip::Figure TotalsStrip::addFigure() {
    Figure figure{new QWidget(this), nullptr, nullptr, nullptr, true};
    figure.title = makeCaption({}, figure.box);
    figure.value = new QLabel(figure.box);
    QFont font = numberFont(Type::KeyFigure);
    font.setWeight(QFont::DemiBold);
    figure.value->setFont(font);
    figure.note = makeCaption({}, figure.box);
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

void TotalsStrip::fill(const Figure& figure, const QString& title, const QString& value, const QString& note) {
    figure.title->setText(title);
    figure.value->setText(value);
    figure.note->setText(note);
    figure.note->setVisible(!note.isEmpty());
    figure.box->setAccessibleName(QStringLiteral("%1: %2 %3").arg(title, value, note));
}

QString TotalsStrip::parametersText() const { return parameters_.value->text(); }

QString TotalsStrip::parametersNote() const { return parameters_.note->text(); }

void TotalsStrip::showBuilt(const std::optional<std::int64_t>& parameters) {
    fill(parameters_, parameters_.title->text(), parameters_.value->text(),
         parameters ? tr("≠ %1 in the run").arg(count(*parameters)) : QString());
    parameters_.box->setToolTip(parameters ? tr("The model of the run was built with %1 parameters. The specification comes to "
                                                "the number that is shown, and so do the figures of the diagram.")
                                                 .arg(count(*parameters))
                                           : QString());
    fit();
}

void TotalsStrip::show(const VariantDraft& draft) {
    const QString none(kNoValue);
    const auto& facts = draft.facts();
    const auto& baseline = draft.baselineFacts();
    fill(parameters_, tr("Parameters"), facts ? count(facts->cost.parameters) : none, {});
    fill(baseline_, tr("Baseline %1").arg(draft.baselineName()), baseline ? count(baseline->cost.parameters) : none, {});
    if (facts && baseline) {
        const std::int64_t now = facts->cost.parameters, before = baseline->cost.parameters;
        fill(difference_, tr("Difference"), signedCount(now - before),
             now == before || before == 0 ? QString() : percent(double(now) / double(before) - 1));
    } else {
        fill(difference_, tr("Difference"), none, {});
    }
    const double before = baseline ? baseline->flops : 0;
    const bool isPair = !facts || facts->variant.topology == "encdec";
    fill(flops_, isPair ? tr("FLOPs a token pair") : tr("FLOPs a token"), facts ? scaled(facts->flops) : none,
         facts && before > 0 && facts->flops != before ? percent(facts->flops / before - 1) : QString());
    flops_.box->setToolTip(
        isPair ? tr("Forward, one source and one target token, attention over max_len keys; a multiply-add counts as 2.")
               : tr("Forward, attention over max_len keys; a multiply-add counts as 2."));
    const bool assumed = facts && (facts->sourceAssumed || facts->targetAssumed);
    words_.known = facts != nullptr;
    if (!facts) return fit();
    fill(words_, assumed ? tr("Words, assumed") : tr("Words"),
         QStringLiteral("%1 / %2").arg(count(facts->variant.dims.vocabSrc), count(facts->variant.dims.vocabTgt)), {});
    words_.box->setToolTip(
        assumed
            ? tr("The variant takes its vocabulary sizes from the data. These stand in for them; change them under Dimensions.")
            : tr("Vocabulary sizes of source and target, as the variant states them."));
    fit();
}

QString TotalsStrip::stepText() const { return step_.known ? step_.value->text() : QString(); }

QString TotalsStrip::stepNote() const { return step_.known ? step_.note->text() : QString(); }

void TotalsStrip::showStep(const std::optional<StepTime>& step, const std::optional<StepTime>& baseline) {
    step_.known = step.has_value();
    if (step) {
        const double spread = step->seconds > 0 ? (step->most - step->least) / 2 / step->seconds : 0;
        const QString note = tr("± %1 %").arg(number(100 * spread, 0));
        const QString times = ratio(step->seconds, baseline ? baseline->seconds : 0);
        fill(step_, tr("Step, measured"), stepDuration(step->seconds),
             times.isEmpty() ? note : QStringLiteral("%1 · %2").arg(note, times));
        speakRatio(*step_.box, times);
        QString tip = tr("Of a training step on this machine, on made-up text of the draft's batch size");
        if (!times.isEmpty())
            tip += QStringLiteral("\n") + tr("%1 the baseline's %2").arg(times, stepDuration(baseline->seconds));
        step_.box->setToolTip(tip);
    }
    fit();
}

QString TotalsStrip::memoryText() const { return memory_.value->text(); }

QString TotalsStrip::memoryNote() const { return memory_.note->text(); }

void TotalsStrip::showMemory(const VariantDraft& draft, const MemoryMeter& meter, const MemoryMeter& baseline) {
    memory_.known = meter.isThere() && draft.facts();
    if (memory_.known) {
        const BatchShape shape = MemoryMeter::shapeOf(*draft.facts());
        const QString batch = tr("%1 × %2 tokens").arg(count(shape.sentences), count(shape.source));
        const auto &memory = meter.memory(), &before = baseline.memory();
        // Another batch is another measurement.
        const auto& pinned = draft.baselineFacts();
        const bool isSameBatch = pinned && MemoryMeter::shapeOf(*pinned).source == shape.source;
        const QString times = memory && before && isSameBatch ? ratio(memory->peakBytes, before->peakBytes) : QString();
        fill(memory_, tr("Peak memory a step"), memory ? byteSize(quint64(memory->peakBytes)) : QString(kNoValue),
             !memory           ? QString()
             : times.isEmpty() ? batch
                               : times);
        speakRatio(*memory_.box, times);
        QString tip = meter.problem();
        if (tip.isEmpty())
            tip = tr("Parameters, moments, gradients, activations and temporaries in float32, measured on the "
                     "built model for a batch of %1; `heddle variants count --memory` takes other batches.")
                      .arg(batch);
        if (before)
            tip += QStringLiteral("\n") + tr("The baseline: %1, a batch of %2 × %3 tokens")
                                              .arg(byteSize(quint64(before->peakBytes)),
                                                   count(MemoryMeter::shapeOf(*pinned).sentences),
                                                   count(MemoryMeter::shapeOf(*pinned).source));
        memory_.box->setToolTip(tip);
    }
    fit();
}

void TotalsStrip::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), Theme::color(Token::Panel));
    const QColor line = Theme::color(Token::Line);
    painter.fillRect(QRect(0, height() - 1, width(), 1), line);
    for (const Figure& figure : {parameters_, baseline_, difference_, flops_, step_, memory_, words_})
        if (figure.box->isVisible()) painter.fillRect(QRect(figure.box->geometry().right(), 0, 1, height()), line);
}

}  // namespace heddle::ui
