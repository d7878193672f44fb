// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/picture.h"

#include <QBuffer>
#include <QCoreApplication>
#include <QFileDialog>
#include <QFileInfo>
#include <QPdfWriter>
#include <QSaveFile>
#include <QSvgGenerator>

#include <stdexcept>

namespace heddle::ui {
namespace {

constexpr int kDotsPerInch = 96;  // of logical pixels
constexpr int kPngScale = 2;

/// Translates words outside of a QObject, in a context that lupdate finds.
struct PictureWords {
    Q_DECLARE_TR_FUNCTIONS(heddle::ui::Picture)
};

/// "png" of "Picture (*.png)".
QString extensionOf(const QString& filter) { return filter.section(QLatin1String("*."), 1).section(QLatin1Char(')'), 0, 0); }

QByteArray encoded(const QImage& image, const QString& format) {
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    if (!image.save(&buffer, format.toLatin1().constData()))
        throw std::runtime_error("a picture is written as .svg, .pdf or .png, not as ." + format.toStdString());
    return buffer.data();
}

}  // namespace

QByteArray svgOf(const Picture& picture) {
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setTitle(picture.title);
    generator.setSize(picture.size);
    generator.setViewBox(QRect({}, picture.size));
    picture.paint(generator);
    return buffer.data();
}

QByteArray pdfOf(const Picture& picture) {
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    {
        QPdfWriter writer(&buffer);  // its end is written when it goes
        writer.setTitle(picture.title);
        writer.setCreator(QStringLiteral("Heddle"));
        writer.setResolution(kDotsPerInch);
        writer.setPageSize(QPageSize(QSizeF(picture.size) * 72 / kDotsPerInch, QPageSize::Point));
        writer.setPageMargins({});
        picture.paint(writer);
    }
    return buffer.data();
}

QImage imageOf(const Picture& picture, double devicePixelRatio) {
    QImage image(picture.size * devicePixelRatio, QImage::Format_ARGB32_Premultiplied);
    if (image.isNull()) throw std::runtime_error("the picture is too large");
    image.setDevicePixelRatio(devicePixelRatio);
    image.fill(Qt::transparent);
    picture.paint(image);
    return image;
}

QStringList pictureFilters() {
    return {PictureWords::tr("Vector picture (*.svg)"), PictureWords::tr("Page (*.pdf)"), PictureWords::tr("Picture (*.png)")};
}

std::function<QByteArray()> painted(const Picture& picture, const QString& file) {
    const QString end = file.section(QLatin1Char('.'), -1).toLower();
    if (end == QLatin1String("svg")) return [bytes = svgOf(picture)] { return bytes; };
    if (end == QLatin1String("pdf")) return [bytes = pdfOf(picture)] { return bytes; };
    return [image = imageOf(picture, kPngScale), end] { return encoded(image, end); };
}

void writePicture(const Picture& picture, const QString& file) { writeWhole(file, painted(picture, file)()); }

void writeWhole(const QString& file, const QByteArray& bytes) {
    QSaveFile out(file);
    if (!out.open(QIODevice::WriteOnly) || out.write(bytes) != bytes.size() || !out.commit())
        throw std::runtime_error(out.errorString().toStdString());
}

void openExportDialog(const ExportDialog& options, QWidget* parent, const std::function<void(const QString&)>& write) {
    auto* dialog = new QFileDialog(parent, options.title);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilters(options.filters);
    const auto follow = [dialog](const QString& filter, const QString& name) {
        dialog->setDefaultSuffix(extensionOf(filter));
        dialog->selectFile(name + QLatin1Char('.') + extensionOf(filter));
    };
    follow(options.filters.first(), options.name);
    QObject::connect(dialog, &QFileDialog::filterSelected, dialog, [dialog, follow](const QString& filter) {
        follow(filter, QFileInfo(dialog->selectedFiles().value(0)).completeBaseName());
    });
    QObject::connect(dialog, &QFileDialog::fileSelected, parent, write);
    dialog->open();
}

}  // namespace heddle::ui
