// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/panels/data_form.h"

#include "engine/spec/data_files.h"
#include "engine/spec/run_spec.h"
#include "engine/spec/task_kinds.h"
#include "engine/spec/variant_schema.h"
#include "ui/pages/compose/forms/parts.h"
#include "ui/pages/compose/panels/preset_model.h"
#include "ui/theme/icons.h"
#include "ui/theme/type.h"

#include <QComboBox>
#include <QFileDialog>
#include <QGridLayout>
#include <QLineEdit>
#include <QToolButton>

#include <algorithm>

namespace heddle::ui {
namespace {

/// A run spec of the sample corpus, with absolute paths; null without a sample.
Json readSample() {
    try {
        const auto specs = readSampleSpecs();
        return specs.empty() ? Json() : specs.begin()->second;
    } catch (const std::exception&) {
        return {};  // an installation without the sample offers files only
    }
}

/// Returns the value where it is a string, else an empty string.
std::string wordAt(const Json& values, const std::string& path) {
    const Json value = valueAt(values, path);
    return value.is_string() ? value.get<std::string>() : std::string();
}

/// Null for a task that is not known: the draft may hold one.
const TaskKind* kindOf(const std::string& task) {
    const auto& kinds = taskKinds();
    const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const TaskKind& kind) { return kind.id == task; });
    return found == kinds.end() ? nullptr : &*found;
}

}  // namespace

const FieldSchema& runField(const std::string& path) {
    const auto dot = path.rfind('.');
    return dot == std::string::npos ? fieldOf(runSchema(), path) : fieldOf(runField(path.substr(0, dot)), path.substr(dot + 1));
}

QGridLayout* planSection(QWidget* box, const QString& title) {
    auto* grid = new QGridLayout(box);
    grid->setContentsMargins(px(10), px(6), px(10), px(6));
    grid->setHorizontalSpacing(px(6));
    grid->setVerticalSpacing(px(4));
    auto* label = new QLabel(title, box);
    label->setFont(strongFont(Type::Body));
    grid->addWidget(label, 0, 0, 1, 5);
    return grid;
}

Json runValues(const Json& document) {
    Json run = Json::object();
    if (document.is_object())
        for (const auto& [key, value] : document.items())
            if (key != "variant") run[key] = value;
    return withDefaults(runSchema(), run);
}

Json valueAt(const Json& values, const std::string& path) {
    std::string pointer = "/" + path;
    std::replace(pointer.begin(), pointer.end(), '.', '/');
    const Json::json_pointer at(pointer);
    return values.contains(at) ? values.at(at) : Json();
}

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
    QGridLayout* grid = planSection(this, tr("Data"));
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

}  // namespace heddle::ui
