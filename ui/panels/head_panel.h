// SPDX-License-Identifier: GPL-3.0-or-later
// One head of the runs A and B: each alone, side by side, or as a signed difference.
#pragma once

#include "ui/panels/inspected_pair.h"
#include "ui/panels/panel.h"
#include "ui/plot/map_view.h"

class QLabel;

namespace heddle::ui {

class Segments;

enum class HeadView { A, B, Both, Difference };

class HeadPanel : public Panel {
    Q_OBJECT

public:
    HeadPanel(InspectedPair& pair, QWidget* parent);

    void setView(HeadView view);
    HeadView view() const { return view_; }
    /// Marks a query in all maps and shows the keys that it attends most to; −1: none.
    void followRow(int row);
    const MapView& mapA() const { return *a_.map; }
    const MapView& mapDifference() const { return *difference_.map; }

private:
    /// Everything the picture depends on.
    struct Shown {
        std::shared_ptr<const SentenceMaps> a, b;  ///< b null: there is no B
        MapFamily family = MapFamily::Weights;
        InspectedPair::Head head;
        QString nameA, nameB, whyHeadsDiffer;
        bool operator==(const Shown&) const = default;
        const storage::MapRecord* map(const SentenceMaps* maps) const;
        const HeadCell* cell(const SentenceMaps* maps) const;
    };
    struct Pane {
        MapView* map;
        QLabel* title;
        QWidget* box;  ///< contains map and title
    };
    Pane makePane(const QString& title, const QString& name);
    void buildBody();
    void take();
    void show();
    void showDifference(const storage::MapRecord& a, const storage::MapRecord& b);
    void showText();

    InspectedPair& pair_;
    Shown shown_;
    HeadView view_ = HeadView::A;
    Segments* views_;
    Pane a_, b_, difference_;
    QLabel *words_, *whyDiffer_;
    QString differenceText_;
    int row_ = -1;
    ScaleBar *bar_, *differenceBar_;
};

}  // namespace heddle::ui
