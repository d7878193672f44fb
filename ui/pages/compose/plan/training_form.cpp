// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/plan/training_form.h"

#include "ui/pages/compose/panels/data_form.h"
#include "ui/pages/compose/plan/plan_words.h"
#include "ui/theme/controls.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>

namespace heddle::ui {

TrainingForm::TrainingForm(VariantDraft& draft, QWidget* parent) : QWidget(parent), draft_(draft) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addWidget(new DataForm(draft, this), 4);
    row->addWidget(makeTraining(), 4);
    row->addStretch(1);
    for (const auto news : {&VariantDraft::changed, &VariantDraft::nameChanged})
        connect(&draft, news, this, &TrainingForm::refresh);
    refresh();
}

QWidget* TrainingForm::makeTraining() {
    auto* box = new QWidget(this);
    QGridLayout* grid = planSection(box, tr("Training"));
    name_ = new QLineEdit(box);
    seeds_ = new QLineEdit(box);
    seeds_->setPlaceholderText(tr("1,2,3 or 1-5"));
    device_ = new QComboBox(box);
    device_->setEditable(true);
    for (const char* device : {"auto", "cpu", "cuda"}) device_->addItem(QLatin1String(device));
    int row = 1;
    const auto add = [&](const QString& words, QWidget* field, const QString& help) {
        auto* label = new QLabel(words, box);
        label->setForegroundRole(QPalette::PlaceholderText);
        label->setBuddy(field);
        field->setAccessibleName(words);
        field->setToolTip(help);
        grid->addWidget(label, row, 0);
        grid->addWidget(field, row++, 1);
    };
    add(tr("name"), name_, tr("Name of the runs; each also shows its seed."));
    add(tr("seeds"), seeds_, tr("One run a seed. At least three seeds are needed to compare two variants."));
    add(tr("device"), device_, text(runField("train.device").help));
    auto* training = new RunForm(draft_, "train", {"epochs", "lr", "batch.tokens", "precision"}, 1, box);
    training->layout()->setContentsMargins(0, 0, 0, 0);
    grid->addWidget(training, row, 0, 1, 2, Qt::AlignLeft);
    grid->setRowStretch(row + 1, 1);
    grid->setColumnStretch(1, 1);
    const auto setDevice = [this] { draft_.assign("train.device", device_->currentText().toStdString()); };
    connect(device_, &QComboBox::activated, this, setDevice);
    connect(device_->lineEdit(), &QLineEdit::editingFinished, this, setDevice);
    connect(name_, &QLineEdit::editingFinished, this, [this] { draft_.setName(name_->text().trimmed()); });
    connect(seeds_, &QLineEdit::textEdited, &draft_, &VariantDraft::setSeeds);
    return box;
}

void TrainingForm::refresh() {
    if (!draft_.document().is_object()) return;
    const Json device = valueAt(runValues(draft_.document()), "train.device");
    if (!device_->lineEdit()->hasFocus())
        device_->setCurrentText(device.is_string() ? text(device.get<std::string>()) : QString());
    if (!name_->hasFocus()) name_->setText(draft_.name());
    if (seeds_->text() != draft_.seeds()) seeds_->setText(draft_.seeds());
    setFieldProblem(*seeds_, readSeeds(seeds_->text()).empty() ? tr("whole numbers, separated by commas") : QString());
}

}  // namespace heddle::ui
