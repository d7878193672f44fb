// SPDX-License-Identifier: GPL-3.0-or-later
// A report on the draft's data files: counts, lengths, words, labels, overlap between splits. Read while it is visible.
#pragma once

#include "ui/data/studio.h"
#include "ui/pages/compose/draft/variant_draft.h"
#include "ui/threads/task.h"

#include <QWidget>

#include <optional>

class QLabel;
class QPlainTextEdit;

namespace heddle::ui {

class DataReport : public QWidget {
    Q_OBJECT

public:
    DataReport(const VariantDraft& draft, Studio& studio, QWidget* parent);

protected:
    void showEvent(QShowEvent* event) override;

private:
    void readIfChanged();
    void take(Result<std::string> report);
    void setReport(const QString& words, const QString& report);

    const VariantDraft& draft_;
    Studio& studio_;
    QLabel* words_;
    QPlainTextEdit* report_;
    std::optional<std::vector<std::string>> files_;  ///< of the report that is shown or being read; nothing after a failure
    Task<std::string> reading_{this, [this](Result<std::string> report) { take(std::move(report)); }};
};

}  // namespace heddle::ui
