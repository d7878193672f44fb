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

class DataForm : public QWidget {
    Q_OBJECT

public:
    DataForm(VariantDraft& draft, QWidget* parent);
    void refresh();

private:
    void addFileRow(QGridLayout* grid, const std::string& split);
    void chooseFile(const std::string& path);
    void dataChosen(int index);
    bool isSample() const;                           ///< whether the draft trains on the sample corpus
    QString wordsOf(const std::string& task) const;  ///< says in a sentence which files have to be chosen

    VariantDraft& draft_;
    Json sampleData_;
    QComboBox* data_;
    QWidget* files_;
    std::map<std::string, QLineEdit*> fileFields_;
    QLabel* words_;
    FieldForm* task_;
    FieldForm* tokenizer_;
    bool ownFiles_ = false;
};

/// A member of the run schema under the path below its first part ("batch.tokens").
FieldSchema runField(std::initializer_list<const char*> path);
/// A titled part of the plan.
QGridLayout* planSection(QWidget* box, const QString& title);
/// The run document's member at a JSON pointer with every default written out; null when there is none.
Json runValue(const Json& document, const std::string& pointer);

}  // namespace heddle::ui
