// SPDX-License-Identifier: GPL-3.0-or-later
// Attention of one head over a probe's tokens at the scrubber's step.
#pragma once

#include "ui/plot/map_view.h"
#include "ui/watch/card.h"
#include "ui/watch/question.h"
#include "ui/watch/subject.h"

class QAction;
class QComboBox;
class QLabel;
class QSettings;

namespace heddle::ui::watch {

class AttentionCard : public Card {
    Q_OBJECT

public:
    AttentionCard(Feed& feed, QWidget* parent);

    void setSubject(const Subject& subject);
    MapView& map() { return *map_; }
    int head() const { return head_; }
    void showHead(int head);
    /// The other probe, path or head: by the keyboard.
    void nextHead(int by);
    QString path() const;  ///< of the module whose map is shown
    void saveSession(QSettings& settings) const;
    void restoreSession(QSettings& settings);

private:
    void buildFoot();
    void fillChoices();
    Question::Reading ask();
    void show();
    void showWords();

    struct Wanted {
        std::string run;
        storage::RunQuery::Snapshot which;
    };
    std::optional<Wanted> wanted() const;
    QString chosen() const;  ///< data of the entry in the box of maps

    Subject subject_;
    MapView* map_;
    ScaleBar* bar_;
    QComboBox *paths_, *probes_;
    QLabel* place_ = nullptr;  ///< step and head
    QAction *previous_, *next_;
    QString wishedPath_;  ///< as chosen()
    int head_ = 0;
    std::shared_ptr<const storage::MapRecord> shown_;
    std::string shownKey_, askedKey_;
    Question* question_;
};

/// One head of a stored map. What a causal mask hides (everything right of the diagonal is exactly 0) is not drawn.
MapData headOf(const storage::MapRecord& record, int head);

}  // namespace heddle::ui::watch
