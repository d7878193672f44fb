// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/watch/system_panel.h"

#include "ui/text/system_titles.h"

#include <QComboBox>

namespace heddle::ui::watch {

SystemPanel::SystemPanel(Databases& databases, QWidget* parent)
    : CurvePanel(tr("System"), databases, parent), choice_(addChoice(tr("What of the machine is shown"))) {
    setObjectName(QStringLiteral("system"));
    choice_->setObjectName(QStringLiteral("systemSeries"));
    QStringList keys, words;
    for (const SystemSeries& series : kSystemSeries) {
        keys << QString::fromUtf8(series.name.data(), qsizetype(series.name.size()));
        words << systemTitle(series);
    }
    fillChoice(*choice_, keys, words, {});
    connect(choice_, &QComboBox::currentIndexChanged, this, &SystemPanel::showSeries);
    connect(this, &CurvePanel::drawnChanged, this, &SystemPanel::showWhetherEmpty);
    showSeries();
}

void SystemPanel::setRun(const std::optional<CurveRun>& run) {
    run_ = run;
    showSeries();
}

void SystemPanel::showSeries() {
    const SystemSeries* series = findSystemSeries(choice_->currentData().toString().toStdString());
    if (!series) return;
    plot().setDecimals(series->decimals);
    plot().setValueTitle(systemTitle(*series), CurvePlot::TitlePlace::Axis);
    CurveSubject subject;
    if (run_) subject.runs.push_back(*run_);
    subject.kinds = {{.name = std::string(series->name), .factor = series->factor, .rule = LineRule::Solid}};
    setCurves(subject);
}

void SystemPanel::showWhetherEmpty() {
    const bool isEmpty = drawn().curves.isEmpty() || drawn().curves.first().rows->size() == 0;
    if (!isEmpty || !run_) return setPlaceholder({}, {});
    setPlaceholder(tr("Not recorded"),
                   tr("A value comes every few seconds of training (record.system_every); those of a GPU need its driver."));
}

}  // namespace heddle::ui::watch
