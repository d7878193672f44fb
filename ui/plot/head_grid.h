// SPDX-License-Identifier: GPL-3.0-or-later
// Every head of every layer as a small map: a row for each sublayer, a column for each head, a bar of entropy below each map.
#pragma once

#include "ui/plot/map_view.h"

#include <QHash>

#include <limits>
#include <memory>
#include <optional>
#include <vector>

namespace heddle::ui {

struct HeadCell {
    QImage picture;  ///< codedPicture() with the scale, at most kHeadPixels wide and high
    double entropy = std::numeric_limits<double>::quiet_NaN();  ///< mean over queries, bits; NaN: not a distribution
    double mostEntropy = 0;  ///< the entropy if all keys that are not masked had equal weight
};

struct HeadRow {
    QString path;      ///< of the module, "decoder.layers.1.cross.score"
    QString sublayer;  ///< the sublayer of the heads, "decoder.layers.1.cross"
    QString label;     ///< "dec.1.cross"
    QString size;      ///< "10 × 11"
    std::vector<HeadCell> heads;
};

struct HeadGridData {
    MapScale scale;  ///< of all heads
    std::vector<HeadRow> rows;
    int columns() const;
};

inline constexpr int kHeadPixels = 96;

/// The picture of a head, averaged to at most kHeadPixels a side. Any thread.
QImage headPicture(const MapData& map, const MapScale& scale);

struct HeadPlace {
    int row = 0, head = 0;
    bool operator==(const HeadPlace&) const = default;
};

class HeadGrid : public PlotView {
    Q_OBJECT

public:
    explicit HeadGrid(QWidget* parent = nullptr);

    void setData(std::shared_ptr<const HeadGridData> data);
    const HeadGridData& data() const { return *data_; }
    /// Heads that are drawn as muted: "SUBLAYER:HEAD".
    void setMuted(const QStringList& heads);
    /// Numbers that are written on the heads ("SUBLAYER:HEAD"): the change of the loss when the head is muted.
    void setCosts(const QHash<QString, double>& costs);
    /// What heads attend to ("SUBLAYER:HEAD": "previous token, copying"), for their tooltips.
    void setLabels(const QHash<QString, QString>& labels) { labels_ = labels; }
    /// Chooses a head, or the nearest if there is no such head.
    void setCurrent(HeadPlace place);
    std::optional<HeadPlace> current() const;
    /// The head at a point of the chart, for tests and tooltips.
    std::optional<HeadPlace> placeAt(QPoint point) const;
    QRect rectOf(HeadPlace place) const;
    /// "decoder.layers.1.cross, head 2, entropy 1.54 of 3.46 bits".
    QString accessibleText(HeadPlace place) const;

    PlotTable table() const override;
    void paintOn(QPaintDevice& device, QSize size) override;

Q_SIGNALS:
    void currentChanged(heddle::ui::HeadPlace place);
    void hovered(std::optional<heddle::ui::HeadPlace> place);

protected:
    void paintScreen(QWidget& viewport) override;
    bool chartEvent(QEvent& event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct Layout {
        int labelWidth = 0, top = 0, gap = 0, barHeight = 0;
        int width = 0;                         ///< of each map
        int side = 0;                          ///< height of a map with as many rows as columns
        std::vector<int> bandLefts;            ///< of the bands, which are side by side
        std::vector<int> rowLefts;             ///< of the band of each row
        std::vector<int> rowTops, rowHeights;  ///< of the maps without labels
        int height = 0;
        QRect cell(HeadPlace place) const;
    };
    QString keyOf(HeadPlace place) const;  ///< "SUBLAYER:HEAD"
    std::optional<double> costOf(HeadPlace place) const;
    QSize room() const;
    int scrolled() const;
    /// Called when the data or the size changed.
    void rebuild();
    void reveal(HeadPlace place);
    Layout layoutFor(QSize size) const;
    void arrange(Layout& layout, int width, int bands, int side) const;
    void paint(QPainter& painter, QSize size, int scrolled) const;
    void paintHeader(QPainter& painter, const Layout& layout, int width) const;
    void paintHead(QPainter& painter, const Layout& layout, HeadPlace place, const QList<QRgb>& colours) const;

    std::shared_ptr<const HeadGridData> data_ = std::make_shared<HeadGridData>();
    QStringList muted_;
    QHash<QString, double> costs_;
    QHash<QString, QString> labels_;
    HeadPlace current_;
    std::optional<HeadPlace> hovered_;
};

}  // namespace heddle::ui
