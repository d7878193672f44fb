// SPDX-License-Identifier: GPL-3.0-or-later
// What is in the draft's data files: counts, lengths, words, labels, overlap between splits. Read when the panel is shown.
#pragma once

#include "ui/data/studio.h"
#include "ui/pages/compose/draft/variant_draft.h"

#include <QWidget>

#include <atomic>
#include <memory>
#include <optional>

class QLabel;
class QPlainTextEdit;

namespace heddle::ui {

class DataPanel : public QWidget {
    Q_OBJECT

public:
    DataPanel(const VariantDraft& draft, Studio& studio, QWidget* parent);
    ~DataPanel() override;
    /// The draft changed.
    void refresh();

protected:
    void showEvent(QShowEvent* event) override;

private:
    void inspectIfChanged();
    void cancelInspection();
    void setReport(const QString& words, const QString& report);

    const VariantDraft& draft_;
    Studio& studio_;
    QLabel* words_;
    QPlainTextEdit* report_;
    std::optional<std::vector<std::string>> files_;  ///< that are shown or being read; nothing after a failure
    std::shared_ptr<std::atomic_bool> stop_;         ///< of the reading under way
};

}  // namespace heddle::ui
