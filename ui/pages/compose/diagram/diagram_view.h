// SPDX-License-Identifier: GPL-3.0-or-later
// The diagram on the screen: shows, selects, walks with the keyboard, folds, zooms.
#pragma once

#include "ui/pages/compose/diagram/diagram.h"

#include <QGraphicsView>

namespace heddle::ui {

class DiagramItem;

/// A layer or a selectable box of a diagram: an index into its frames or its boxes.
struct DiagramPart {
    bool isFrame = false;
    int index = 0;
};

class DiagramView : public QGraphicsView {
    Q_OBJECT

public:
    explicit DiagramView(QWidget* parent = nullptr);

    /// Shows another layout; zoom and place stay.
    void setDiagram(Diagram diagram);
    const Diagram& diagram() const;
    /// Marks the box of a site, or nothing.
    void setCurrent(const std::optional<SlotSite>& site);
    int currentBox() const;

    /// Lists the layers and the boxes that can be selected. Each layer stands before its boxes.
    const std::vector<DiagramPart>& parts() const { return parts_; }
    int partOfBox(int box) const;  ///< -1: none
    QRectF rectOf(const DiagramPart& part) const;
    /// A layer or slot in words, with its count and marks.
    QString accessibleText(const DiagramPart& part) const;
    /// Does what a click on the part does: folds a layer, selects a slot, or opens the menu of an empty place.
    void press(const DiagramPart& part);

    double zoom() const { return zoom_; }
    void setZoom(double zoom);
    void zoomIn() { setZoom(zoom_ * 1.25); }
    void zoomOut() { setZoom(zoom_ / 1.25); }
    /// Whole: the largest zoom up to 100 % that shows all of the diagram. Readable: one that shows the whole width, and the
    /// height where that stays readable.
    enum class Fit { Whole, Readable };
    /// Zooms so that the diagram fits, now and whenever the view gets another size, until another zoom is set.
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
    /// The menu of the selected slot's layer is wanted, at this place of the screen.
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
    bool viewportEvent(QEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;

private:
    void choose(int box);
    /// Selects the next (1) or the previous (-1) slot in the order of parts(). This reaches every slot; the arrow keys do not.
    void chooseNext(int step);
    void showOffer(int box);
    bool isDragged(const QMouseEvent& event) const;
    /// The line of a score carry from the attention under the button, and the attention that it reaches; -1: none.
    std::pair<QLineF, int> carryTo(const QPointF& point) const;
    void stopDrag();
    bool toggleFold(const QPointF& point);
    void applyZoom(double zoom);
    /// Zooms as fit() was asked; does nothing after another zoom was set.
    void applyFit();
    QString accessibleText(int box) const;

    DiagramItem* item_;
    std::vector<DiagramPart> parts_;
    std::optional<SlotSite> current_;
    int dragged_ = -1;      ///< sublayer under the button
    int carriedFrom_ = -1;  ///< attention under the button
    QPoint pressed_;
    double zoom_ = 1;
    std::optional<Fit> fitted_;  ///< how the zoom follows the size of the view; nothing: it does not
};

}  // namespace heddle::ui
