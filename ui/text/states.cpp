// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/text/states.h"

#include <QCoreApplication>

namespace heddle::ui {
namespace {
/// Translates words outside of a QObject, in a context that lupdate finds.
struct StateWords {
    Q_DECLARE_TR_FUNCTIONS(heddle::ui::Mark)
};
}  // namespace

MarkLook lookOf(Mark mark) {
    switch (mark) {
    case Mark::Queued: return {Icon::Clock, Token::Idle, StateWords::tr("Queued")};
    case Mark::Preparing: return {Icon::Gear, Token::Idle, StateWords::tr("Preparing")};
    case Mark::Running: return {Icon::Play, Token::Run, StateWords::tr("Running")};
    case Mark::Paused: return {Icon::Pause, Token::Warn, StateWords::tr("Paused")};
    case Mark::Stopping: return {Icon::Stopping, Token::Warn, StateWords::tr("Stopping")};
    case Mark::Completed: return {Icon::Check, Token::Ok, StateWords::tr("Completed")};
    case Mark::Stopped: return {Icon::Stop, Token::Idle, StateWords::tr("Stopped")};
    case Mark::Failed: return {Icon::Cross, Token::Bad, StateWords::tr("Failed")};
    case Mark::Interrupted: return {Icon::Broken, Token::Intr, StateWords::tr("Interrupted")};
    case Mark::Warning: return {Icon::Warning, Token::Warn, StateWords::tr("Warning")};
    case Mark::Error: return {Icon::Error, Token::Bad, StateWords::tr("Error")};
    case Mark::Damaged: return {Icon::Broken, Token::Intr, StateWords::tr("Damaged")};
    case Mark::NotComparable: return {Icon::Clamp, Token::Intr, StateWords::tr("Not comparable")};
    }
    return {Icon::Info, Token::Text2, {}};
}

}  // namespace heddle::ui
