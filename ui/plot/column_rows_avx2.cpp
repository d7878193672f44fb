// SPDX-License-Identifier: GPL-3.0-or-later
#ifdef __AVX2__
#include "ui/plot/column_rows.h"

namespace heddle::ui {

void paintEightRows(QRgb* pixels, const ColumnCover& cover, QRgb color) { paintRows<8>(pixels, cover, color); }

}  // namespace heddle::ui
#endif
