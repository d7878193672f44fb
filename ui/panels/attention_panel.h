// SPDX-License-Identifier: GPL-3.0-or-later
// Attention of one head over a probe's tokens at the scrubber's step.
#pragma once

#include "ui/data/query.h"
#include "ui/data/subject.h"
#include "ui/panels/panel.h"
#include "ui/plot/map_view.h"

class QAction;
class QComboBox;
class QLabel;
class QSettings;

namespace heddle::ui {

class AttentionPanel : public Panel {
    Q_OBJECT

public:
    AttentionPanel(Databases& databases, QWidget* parent);

    MapView& map() { return *map_; }
    int head() const { return head_; }
    void showHead(int head);
    /// Shows the head so many places on, or back.
    void nextHead(int by);
    QString path() const;  ///< of the module whose map is shown
    void saveSession(QSettings& settings) const override;
    void restoreSession(QSettings& settings) override;

protected:
    void showSubject(const Subject& before) override;
    void forgetRun() override;

private:
    void buildFoot();
    void fillChoices();
    Query::Request nextRequest();
    void showProblem(const Problem& problem);
    void show();
    void showWords();

    std::optional<storage::RunQuery::Snapshot> wanted() const;
    QString chosen() const;  ///< data of the entry in the box of maps

    MapView* map_;
    ScaleBar* bar_;
    QComboBox *paths_, *probes_;
    QLabel* place_ = nullptr;  ///< step and head
    QAction *previous_, *next_;
    QString wishedPath_;  ///< as chosen()
    int head_ = 0;
    std::shared_ptr<const storage::MapRecord> shown_;
    std::string shownKey_, askedKey_;
    Query* query_;
};

}  // namespace heddle::ui
