// SPDX-License-Identifier: GPL-3.0-or-later
// Pictures that leave the program: diagrams and plots as files.
#pragma once

#include <QImage>
#include <QStringList>

#include <functional>

class QPaintDevice;

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
/// Paints the picture as .pdf, .png (twice the size) or else SVG, by the end of the file's name. What is returned gives the
/// bytes of the file, on any thread: a PNG takes long to compress. Both throw std::runtime_error.
std::function<QByteArray()> paintedFor(const QString& file, const Picture& picture);
/// Does both and writes the file. Throws std::runtime_error when it cannot.
void writePicture(const Picture& picture, const QString& file);
/// Writes a file as a whole or not at all. Throws std::runtime_error.
void writeWhole(const QString& file, const QByteArray& bytes);

}  // namespace heddle::ui
