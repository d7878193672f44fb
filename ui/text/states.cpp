// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/text/states.h"

#include <QCoreApplication>

namespace heddle::ui {
namespace {
QString tr(const char* word) { return QCoreApplication::translate("heddle::ui::Mark", word); }
}  // namespace

MarkLook look(Mark mark) {
    switch (mark) {
    case Mark::Queued: return {Icon::Clock, Token::Idle, tr(QT_TRANSLATE_NOOP("heddle::ui::Mark", "Queued"))};
    case Mark::Preparing: return {Icon::Gear, Token::Idle, tr(QT_TRANSLATE_NOOP("heddle::ui::Mark", "Preparing"))};
    case Mark::Running: return {Icon::Play, Token::Run, tr(QT_TRANSLATE_NOOP("heddle::ui::Mark", "Running"))};
    case Mark::Paused: return {Icon::Pause, Token::Warn, tr(QT_TRANSLATE_NOOP("heddle::ui::Mark", "Paused"))};
    case Mark::Stopping: return {Icon::Stopping, Token::Warn, tr(QT_TRANSLATE_NOOP("heddle::ui::Mark", "Stopping"))};
    case Mark::Completed: return {Icon::Check, Token::Ok, tr(QT_TRANSLATE_NOOP("heddle::ui::Mark", "Completed"))};
    case Mark::Stopped: return {Icon::Stop, Token::Idle, tr(QT_TRANSLATE_NOOP("heddle::ui::Mark", "Stopped"))};
    case Mark::Failed: return {Icon::Cross, Token::Bad, tr(QT_TRANSLATE_NOOP("heddle::ui::Mark", "Failed"))};
    case Mark::Interrupted: return {Icon::Broken, Token::Intr, tr(QT_TRANSLATE_NOOP("heddle::ui::Mark", "Interrupted"))};
    case Mark::Verified: return {Icon::Shield, Token::Ok, tr(QT_TRANSLATE_NOOP("heddle::ui::Mark", "Verified"))};
    case Mark::Warning: return {Icon::Warning, Token::Warn, tr(QT_TRANSLATE_NOOP("heddle::ui::Mark", "Warning"))};
    case Mark::Error: return {Icon::Error, Token::Bad, tr(QT_TRANSLATE_NOOP("heddle::ui::Mark", "Error"))};
    case Mark::Damaged: return {Icon::Broken, Token::Intr, tr(QT_TRANSLATE_NOOP("heddle::ui::Mark", "Damaged"))};
    case Mark::NotComparable: return {Icon::Clamp, Token::Intr, tr(QT_TRANSLATE_NOOP("heddle::ui::Mark", "Not comparable"))};
    }
    return {Icon::Info, Token::Text2, {}};
}

}  // namespace heddle::ui
