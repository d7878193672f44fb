// SPDX-License-Identifier: GPL-3.0-or-later
// Precompiled header of panels and pages: the headers that most of their files include. Files still include what they use.
#pragma once

#include <nlohmann/json.hpp>

#include <QAction>
#include <QApplication>
#include <QBoxLayout>
#include <QComboBox>
#include <QCoreApplication>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QMenu>
#include <QPainter>
#include <QPushButton>
#include <QRegularExpression>
#include <QTreeView>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>
