// SPDX-License-Identifier: GPL-3.0-or-later
// Export of pictures (diagrams and plots) to files, and the dialog for the file to write.
#pragma once

#include <QImage>
#include <QStringList>

#include <functional>

class QPaintDevice;
class QWidget;

namespace heddle::ui {

struct Picture {
    QString title;  ///< for the properties of the file
    QSize size;     ///< in logical pixels
    /// Paints the picture in the colours of the light theme.
    std::function<void(QPaintDevice& device)> paint;
};

QByteArray svgOf(const Picture& picture);
/// One page of the picture's size.
QByteArray pdfOf(const Picture& picture);
/// Throws std::runtime_error when the picture is too large for the memory.
QImage imageOf(const Picture& picture, double devicePixelRatio);

/// The filters of an export dialog: SVG, PDF, PNG.
QStringList pictureFilters();
/// Paints the picture in the format of the file's extension: .svg, .pdf, .png and other raster formats at twice the size.
/// Returns a function that makes the bytes of the file on any thread, since it takes long to compress an image. Both throw
/// std::runtime_error, the function also for an unknown format.
std::function<QByteArray()> painted(const Picture& picture, const QString& file);
/// Paints the picture and writes it to the file, whole or not at all. Throws std::runtime_error if either fails.
void writePicture(const Picture& picture, const QString& file);
/// Writes a file as a whole or not at all. Throws std::runtime_error.
void writeWhole(const QString& file, const QByteArray& bytes);

struct ExportDialog {
    QString title;
    QStringList filters;  ///< "Picture (*.png)"; the first one is chosen
    QString name;         ///< the proposed file name, without extension
};

/// Asks the user for the file to write, whose extension depends on the chosen filter, and calls `write` with it.
void openExportDialog(const ExportDialog& dialog, QWidget* parent, const std::function<void(const QString&)>& write);

}  // namespace heddle::ui
