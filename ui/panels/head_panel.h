// SPDX-License-Identifier: GPL-3.0-or-later
// One head of the runs A and B: each alone, side by side, or as a signed difference.
#pragma once

#include "ui/data/sentence_maps.h"
#include "ui/panels/panel.h"
#include "ui/plot/map_view.h"

class QLabel;

namespace heddle::ui {

class Segments;

enum class HeadView { A, B, Both, Difference };

class HeadPanel : public Panel {
    Q_OBJECT

public:
    /// A head of one or two runs.
    struct Shown {
        std::shared_ptr<const SentenceMaps> a, b;  ///< b null: there is no B
        MapFamily family = MapFamily::Weights;
        std::string path;  ///< of the module
        int head = 0;
        QString nameA, nameB;  ///< what the maps are of: "eau-full s1, step 400"
        QString apart;         ///< why heads of A and B do not correspond; empty: they do
        bool operator==(const Shown&) const = default;
    };

    explicit HeadPanel(QWidget* parent);

    void setShown(const Shown& shown);
    void setView(HeadView view);
    HeadView view() const { return view_; }
    /// Marks a query in all maps and says what it attends most to; −1: none.
    void followRow(int row);
    const MapView& mapA() const { return *mapA_; }
    const MapView& mapDifference() const { return *mapDifference_; }

    void saveSession(QSettings& settings) const override;
    void restoreSession(QSettings& settings) override;

Q_SIGNALS:
    void viewChanged();

private:
    QWidget* buildBody();
    void show();
    void showDifference(const storage::MapRecord& a, const storage::MapRecord& b);
    void showWords();

    Shown shown_;
    HeadView view_ = HeadView::A;
    Segments* views_;
    MapView *mapA_, *mapB_, *mapDifference_;
    QWidget *boxA_, *boxB_, *boxDifference_;
    QLabel *titleA_, *titleB_, *words_, *apart_;
    QString differenceWords_;
    int row_ = -1;
    ScaleBar *bar_, *differenceBar_;
};

}  // namespace heddle::ui
