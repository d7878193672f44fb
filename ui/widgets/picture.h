// SPDX-License-Identifier: GPL-3.0-or-later
// Pictures that leave the program, diagrams and plots as files, and the dialog that asks for a file to write.
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
/// Paints the picture in the format that the end of the file's name says: .svg, .pdf, or .png and other images of pixels at
/// twice the size. Returns a function that makes the bytes of the file, on any thread: to compress an image takes long. Both
/// throw std::runtime_error; the function also where no such format is known.
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

/// Asks the user for the file to write. The chosen filter sets the extension of the file. Calls `write` with the file once the
/// user has accepted.
void openExportDialog(const ExportDialog& dialog, QWidget* parent, const std::function<void(const QString&)>& write);

}  // namespace heddle::ui
