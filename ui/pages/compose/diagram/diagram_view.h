// SPDX-License-Identifier: GPL-3.0-or-later
// Shows the diagram. With mouse or keyboard the user selects slots, folds layers, moves sublayers, draws score carries and
// zooms.
#pragma once

#include "ui/pages/compose/diagram/diagram_scene.h"

#include <QGraphicsView>

#include <functional>

namespace heddle::ui {

class DiagramView : public QGraphicsView {
    Q_OBJECT

public:
    explicit DiagramView(QWidget* parent = nullptr);

    /// Shows another layout and marks the box of a site; keeps the zoom and the scroll position.
    void setDiagram(Diagram diagram, const std::optional<SlotSite>& site = std::nullopt);
    const Diagram& diagram() const { return scene_->diagram(); }
    /// See DiagramScene::parts().
    const QList<DiagramPart*>& parts() const { return scene_->parts(); }
    /// Marks the box of a site, or nothing.
    void setCurrent(const std::optional<SlotSite>& site);
    /// The box that is marked, or null.
    DiagramPart* current() const;
    /// The screen position of a menu of the marked box.
    QPoint menuPlace() const;
    /// Does what a click on the part does: folds a layer, selects a slot, or opens the menu of an offer.
    void press(const DiagramPart& part);

    double zoom() const { return zoom_; }
    void setZoom(double zoom);
    void zoomIn() { setZoom(zoom_ * 1.25); }
    void zoomOut() { setZoom(zoom_ / 1.25); }
    /// Whole: the largest zoom up to 100 % that shows all of the diagram. Readable: one that shows the whole width, and the
    /// height where that stays readable.
    enum class Fit { Whole, Readable };
    /// Zooms so that the diagram fits, now and whenever the view gets another size, until the zoom is set otherwise.
    void fit(Fit how = Fit::Whole);

Q_SIGNALS:
    void siteChosen(const std::optional<heddle::ui::SlotSite>& site);
    void inspectRequested();
    /// A block was chosen for a slot that holds nothing.
    void blockAdded(const heddle::ui::SlotSite& site, const std::string& block);
    /// A sublayer was dragged to another place of its layer.
    void sublayerDropped(const heddle::SublayerPlace& sublayer, int place);
    /// A score carry was drawn to this score slot from the same attention `offset` layers before.
    void carryDrawn(const heddle::ui::SlotSite& score, int offset);
    void foldToggled(const std::string& stack);
    /// The user wants the menu of the selected slot's layer at this position of the screen.
    void menuRequested(const QPoint& place);
    void zoomChanged(double zoom);

protected:
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;

private:
    static bool isLayer(const DiagramPart& part) { return part.frame() != nullptr; }
    static bool isBox(const DiagramPart& part) { return part.box() && part.box()->site; }
    /// The topmost part of a kind at a point of the view, or null.
    DiagramPart* partAt(const QPoint& point, const std::function<bool(const DiagramPart&)>& fits) const;
    /// The index of what can be dragged from or to a point of the view; -1: none.
    int draggedAt(const QPoint& point, DiagramScene::Dragged what) const;
    void choose(const DiagramPart* part);
    /// Selects the next (1) or the previous (-1) slot in the order of parts(). This reaches every slot; the arrow keys do not.
    void chooseNext(int step);
    /// The nearest box in a direction (unit steps of one axis) from the current one, or from above all.
    DiagramPart* neighbour(QPoint direction) const;
    void showOffer(const DiagramBox& box);
    bool isDragged(const QMouseEvent& event) const;
    /// The line of a score carry from the attention under the button, and the score slot that it reaches, if any.
    std::pair<QLineF, std::optional<SlotSite>> carryTo(const QPoint& point) const;
    void stopDrag();
    void applyZoom(double zoom);
    /// Sets the zoom that fit() chose, unless the zoom was set otherwise since.
    void applyFit();

    DiagramScene* scene_;
    std::optional<DiagramSublayer> dragged_;  ///< under the mouse button when it was pressed
    std::optional<SlotSite> carriedFrom_;     ///< score slot of the attention under the button
    QPoint pressed_;
    double zoom_ = 1;
    std::optional<Fit> fitted_;  ///< how the zoom follows the size of the view; nothing: it does not
};

/// Describes every DiagramView to screen readers from now on: its layers and slots are the items of a list, in the order of
/// evaluation. Further calls change nothing.
void installDiagramAccessibility();

}  // namespace heddle::ui
