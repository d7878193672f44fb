// SPDX-License-Identifier: GPL-3.0-or-later
// Which data a draft trains on: the sample corpus, or files of the user's own with their tokenizer.
#pragma once

#include "ui/pages/compose/draft/variant_draft.h"
#include "ui/pages/compose/forms/field_form.h"

#include <QWidget>

class QComboBox;
class QGridLayout;
class QLabel;
class QLineEdit;

namespace heddle::ui {

/// Fields of one part of the run specification ("train"), which edit the draft.
class RunForm : public FieldForm {
    Q_OBJECT

public:
    /// `keys`: paths in that part, such as "batch.tokens". Fields of a draft that is no object stay as they are.
    RunForm(VariantDraft& draft, const std::string& part, const std::vector<std::string>& keys, int columns, QWidget* parent);
};

class DataForm : public QWidget {
    Q_OBJECT

public:
    DataForm(VariantDraft& draft, QWidget* parent);

private:
    void refresh();
    void addFileRow(QGridLayout* grid, const std::string& split);
    void chooseFile(const std::string& path);
    void dataChosen(int index);
    bool isSample(const Json& values) const;         ///< whether these runValues() train on the sample corpus
    QString wordsOf(const std::string& task) const;  ///< says in a sentence which files have to be chosen

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

/// A member of the run schema ("train.batch.tokens").
const FieldSchema& runField(const std::string& path);
/// A titled part of the plan.
QGridLayout* planSection(QWidget* box, const QString& title);
/// A run document without its variant, with every default written out. Slow: once for all the values that are looked up.
Json runValues(const Json& document);
/// The member of runValues() at a path; null when there is none.
Json valueAt(const Json& values, const std::string& path);

}  // namespace heddle::ui
