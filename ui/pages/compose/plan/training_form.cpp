// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/plan/training_form.h"

#include "engine/base/json.h"
#include "engine/spec/data_files.h"
#include "engine/spec/run_spec.h"
#include "engine/spec/task_kinds.h"
#include "engine/spec/variant_schema.h"
#include "ui/pages/compose/forms/field_form.h"
#include "ui/pages/compose/forms/parts.h"
#include "ui/pages/compose/panels/preset_model.h"
#include "ui/pages/compose/plan/plan_words.h"
#include "ui/theme/controls.h"
#include "ui/theme/icons.h"
#include "ui/theme/type.h"

#include <QComboBox>
#include <QCoreApplication>
#include <QFileDialog>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

#include <algorithm>
#include <map>

namespace heddle::ui {
namespace {

/// A member of the run schema ("train.batch.tokens").
const FieldSchema& runField(const std::string& path) {
    const auto dot = path.rfind('.');
    return dot == std::string::npos ? fieldOf(runSchema(), path) : fieldOf(runField(path.substr(0, dot)), path.substr(dot + 1));
}

/// A grid below a title.
QGridLayout* titledGrid(QWidget* box, const QString& title) {
    auto* grid = new QGridLayout(box);
    grid->setContentsMargins(px(10), px(6), px(10), px(6));
    grid->setHorizontalSpacing(px(6));
    grid->setVerticalSpacing(px(4));
    auto* label = new QLabel(title, box);
    label->setFont(strongFont(Type::Body));
    grid->addWidget(label, 0, 0, 1, 5);
    return grid;
}

/// A run document without its variant, with every default written out. Slow: call it once for several values.
Json runValues(const Json& document) {
    Json run = Json::object();
    if (document.is_object())
        for (const auto& [key, value] : document.items())
            if (key != "variant") run[key] = value;
    return withDefaults(runSchema(), run);
}

/// The member of runValues() at a path; null when there is none.
Json valueAt(const Json& values, const std::string& path) {
    const Json::json_pointer at(pointerOf(path));
    return values.contains(at) ? values.at(at) : Json();
}

/// A run spec of the sample corpus, with absolute paths; null without a sample.
Json readSample() {
    try {
        const auto specs = readSampleSpecs();
        return specs.empty() ? Json() : specs.begin()->second;
    } catch (const std::exception&) {
        return {};  // without the sample only files can be chosen
    }
}

/// Returns the value where it is a string, else an empty string.
std::string wordAt(const Json& values, const std::string& path) {
    const Json value = valueAt(values, path);
    return value.is_string() ? value.get<std::string>() : std::string();
}

/// Null for an unknown task, which the draft may have.
const TaskKind* kindOf(const std::string& task) {
    const auto& kinds = taskKinds();
    const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const TaskKind& kind) { return kind.id == task; });
    return found == kinds.end() ? nullptr : &*found;
}

/// Fields of one part of the run specification ("train"), which edit the draft.
class RunForm : public FieldForm {
public:
    /// `keys`: paths in that part, such as "batch.tokens". Fields of a draft that is no object stay as they are.
    RunForm(VariantDraft& draft, const std::string& part, const std::vector<std::string>& keys, int columns, QWidget* parent);
};

/// Which data a draft trains on: the sample corpus, or files of the user's own with their tokenizer.
class DataForm : public QWidget {
    Q_DECLARE_TR_FUNCTIONS(heddle::ui::DataForm)

public:
    DataForm(VariantDraft& draft, QWidget* parent);

private:
    void refresh();
    void addFileRow(QGridLayout* grid, const std::string& split);
    void chooseFile(const std::string& path);
    void dataChosen(int index);
    bool isSample(const Json& values) const;         ///< whether these runValues() train on the sample corpus
    QString wordsOf(const std::string& task) const;  ///< a sentence on the files to choose

    VariantDraft& draft_;
    const Json sample_;               ///< a run spec of the sample corpus, or null
    const std::string sampleSource_;  ///< its training file
    QComboBox* data_;
    QWidget* files_;
    std::map<std::string, QLineEdit*> fileFields_;
    QLabel* words_;
    RunForm *task_, *tokenizer_;
    bool ownFiles_ = false;
};

RunForm::RunForm(VariantDraft& draft, const std::string& part, const std::vector<std::string>& keys, int columns,
                 QWidget* parent)
    : FieldForm(columns, parent) {
    std::vector<FieldSchema> fields;
    for (const auto& key : keys) {
        fields.push_back(runField(part + "." + key));
        fields.back().key = key;
    }
    setFields(fields);
    connect(this, &FieldForm::edited, &draft,
            [&draft, part](const std::string& key, const Json& value) { draft.assign(part + "." + key, value); });
    const auto refresh = [this, &draft, part, keys] {
        if (!draft.document().is_object()) return;
        const Json all = runValues(draft.document());
        Json values = Json::object();
        for (const auto& key : keys) values[key] = valueAt(all, part + "." + key);
        setValues(values);
        for (const auto& problem : draft.problems())
            if (problem.path.starts_with(part + ".")) setProblem(problem.path.substr(part.size() + 1), problem);
    };
    connect(&draft, &VariantDraft::changed, this, refresh);
    refresh();
}

DataForm::DataForm(VariantDraft& draft, QWidget* parent)
    : QWidget(parent), draft_(draft), sample_(readSample()), sampleSource_(wordAt(runValues(sample_), "data.train.source")) {
    QGridLayout* grid = titledGrid(this, tr("Data"));
    data_ = new QComboBox(this);
    data_->setAccessibleName(tr("Data"));
    data_->setObjectName(QStringLiteral("dataChoice"));
    data_->setPlaceholderText(tr("Choose data"));
    if (!sample_.is_null()) data_->addItem(tr("Sample corpus, English → Weft"), true);
    data_->addItem(tr("Own files"), false);
    grid->addWidget(data_, 1, 0, 1, 5);
    words_ = makeCaption({}, this);
    words_->setWordWrap(true);
    grid->addWidget(words_, 3, 0, 1, 5);
    files_ = new QWidget(this);
    auto* rows = new QGridLayout(files_);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setHorizontalSpacing(px(4));
    rows->setVerticalSpacing(px(4));
    for (const std::string split : {"train", "valid", "test"}) addFileRow(rows, split);
    grid->addWidget(files_, 4, 0, 1, 5);
    task_ = new RunForm(draft, "data", {"task", "format", "split.valid"}, 3, this);
    grid->addWidget(task_, 2, 0, 1, 5, Qt::AlignLeft);
    tokenizer_ = new RunForm(draft, "data", {"tokenizer.kind", "tokenizer.min_count", "tokenizer.lower"}, 3, this);
    grid->addWidget(tokenizer_, 5, 0, 1, 5, Qt::AlignLeft);
    grid->setRowStretch(6, 1);
    connect(data_, &QComboBox::activated, this, &DataForm::dataChosen);
    connect(&draft, &VariantDraft::changed, this, &DataForm::refresh);
    refresh();
}

void DataForm::addFileRow(QGridLayout* grid, const std::string& split) {
    const int row = grid->rowCount();
    grid->addWidget(makeCaption(text(split), files_), row, 0);
    int column = 1;
    for (const std::string side : {"source", "target"}) {
        const std::string path = "data." + split + "." + side;
        auto* field = new QLineEdit(files_);
        field->setPlaceholderText(side == "source" ? tr("source file") : tr("target file"));
        field->setAccessibleName(text(path));
        field->setObjectName(text(path));
        auto* pick = new QToolButton(files_);
        pick->setAutoRaise(true);
        pick->setIcon(themeIcon(Icon::Folder));
        pick->setToolTip(tr("Choose the file"));
        pick->setAccessibleName(tr("Choose %1").arg(text(path)));
        connect(pick, &QToolButton::clicked, this, [this, path] { chooseFile(path); });
        connect(field, &QLineEdit::editingFinished, this, [this, path, field] {
            if (field->isModified()) draft_.apply({path + "=" + field->text().trimmed().toStdString()}, text(path));
            field->setModified(false);
        });
        grid->addWidget(field, row, column++);
        grid->addWidget(pick, row, column++);
        fileFields_[path] = field;
    }
}

void DataForm::chooseFile(const std::string& path) {
    auto* dialog = new QFileDialog(this, tr("Choose %1").arg(text(path)), fileFields_.at(path)->text());
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QFileDialog::fileSelected, this,
            [this, path](const QString& file) { draft_.apply({path + "=" + file.toStdString()}, text(path)); });
    dialog->open();
}

void DataForm::dataChosen(int index) {
    ownFiles_ = !data_->itemData(index).toBool();
    if (!ownFiles_) {
        draft_.apply({"data=" + sample_.at("data").dump()}, tr("data: sample corpus"));
    } else if (isSample(runValues(draft_.document()))) {
        Json document = draft_.document();
        document.erase("data");
        draft_.replace(document, tr("data: own files"));
    }
    refresh();
}

bool DataForm::isSample(const Json& values) const {
    return !sample_.is_null() && wordAt(values, "data.train.source") == sampleSource_;
}

void DataForm::refresh() {
    if (!draft_.document().is_object()) return;
    const Json values = runValues(draft_.document());
    const bool sample = isSample(values);
    if (sample || !wordAt(values, "data.train.source").empty()) ownFiles_ = !sample;
    const bool own = ownFiles_ || sample_.is_null();
    data_->setCurrentIndex(sample || own ? data_->findData(!own) : -1);
    const std::string task = wordAt(values, "data.task");
    const bool generated = isGenerated(wordAt(values, "data.format"));
    files_->setVisible(own && !generated);
    task_->setVisible(own);
    tokenizer_->setVisible(own);
    words_->setText(own && generated
                        ? tr("Synthetic data: computed from data.generated, the same for every run. No file is read.")
                    : own    ? wordsOf(task)
                    : sample ? tr("4,000 training pairs, 200 to validate, 200 to test; sentences of at most 24 words.")
                             : tr("Choose the sample corpus or files of your own."));
    const TaskKind* kind = kindOf(task);
    for (auto& [path, field] : fileFields_) {
        const QString value = text(wordAt(values, path));
        if (value != field->text()) field->setText(value);
        const bool isTarget = path.ends_with(".target");
        field->setEnabled(!isTarget || !kind || kind->readsPairs());
    }
}

QString DataForm::wordsOf(const std::string& task) const {
    const TaskKind* kind = kindOf(task);
    if (!kind) return {};
    if (kind->target == TaskKind::Target::Translation)
        return tr("Plain text or .gz, one sentence a line, the target line by line its translation.");
    return text(kind->summary) + QLatin1Char(' ') +
           (kind->readsPairs() ? tr("Source: the images, target: their labels.") : tr("One file a split, plain or .gz."));
}

}  // namespace

TrainingForm::TrainingForm(VariantDraft& draft, QWidget* parent) : QWidget(parent), draft_(draft) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addWidget(new DataForm(draft, this), 4);
    row->addWidget(makeTraining(), 4);
    row->addStretch(1);
    for (const auto emitted : {&VariantDraft::changed, &VariantDraft::nameChanged})
        connect(&draft, emitted, this, &TrainingForm::refresh);
    refresh();
}

QWidget* TrainingForm::makeTraining() {
    auto* box = new QWidget(this);
    QGridLayout* grid = titledGrid(box, tr("Training"));
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
    add(tr("name"), name_, tr("Name of the runs; the seed is added to it."));
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
