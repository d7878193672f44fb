// SPDX-License-Identifier: GPL-3.0-or-later
// Attention of one head over a probe's tokens at the scrubber's step.
#pragma once

#include "ui/data/databases.h"
#include "ui/panels/panel.h"
#include "ui/plot/map_view.h"
#include "ui/threads/query.h"

class QAction;
class QComboBox;
class QLabel;

namespace heddle::ui {

class AttentionPanel : public Panel {
    Q_OBJECT

public:
    /// `keys`: what stands before the keys of its stored choices, as "watch"; empty: they are not stored.
    AttentionPanel(Databases& databases, const QString& keys, QWidget* parent);

    MapView& map() { return *map_; }
    int head() const { return head_; }
    /// Shows the head `by` places after the one shown; negative: before it.
    void nextHead(int by);
    QString path() const;  ///< of the module whose map is shown
    const storage::MapRecord* shown() const { return shown_.get(); }
    /// Shows the map, the sentence and the head that the other panel shows, as far as the run has them.
    void showLike(const AttentionPanel& other);

Q_SIGNALS:
    /// The user chose another map, sentence or head.
    void choiceChanged();

protected:
    void showSubject(const Subject& before) override;
    void clearRun() override;

private:
    using Map = std::shared_ptr<const storage::MapRecord>;
    void buildFoot();
    void fillChoices();
    void read();
    void take(Result<Map> map);
    void show();
    void showText();
    QString chosenSite() const;  ///< key of the chosen entry in the box of maps
    /// The steps of the maps of the chosen site, by probe; null: there is none.
    const std::map<std::int64_t, std::vector<Step>>* chosenMaps() const;

    Databases& databases_;
    MapView* map_;
    ScaleBar* bar_;
    QComboBox *paths_, *probes_;
    QLabel* place_ = nullptr;  ///< step and head
    QAction *previous_, *next_;
    QString preferredPath_;  ///< key of the box entry that the user chose last
    int head_ = 0;
    Map shown_;
    Query<Map> query_{this, [this](Result<Map> map) { take(std::move(map)); }};
};

}  // namespace heddle::ui
