// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/text/states.h"

#include <QCoreApplication>

namespace heddle::ui {
namespace {
/// Words outside of a QObject, under a context that lupdate finds.
struct Words {
    Q_DECLARE_TR_FUNCTIONS(heddle::ui::Mark)
};
}  // namespace

MarkLook lookOf(Mark mark) {
    switch (mark) {
    case Mark::Queued: return {Icon::Clock, Token::Idle, Words::tr("Queued")};
    case Mark::Preparing: return {Icon::Gear, Token::Idle, Words::tr("Preparing")};
    case Mark::Running: return {Icon::Play, Token::Run, Words::tr("Running")};
    case Mark::Paused: return {Icon::Pause, Token::Warn, Words::tr("Paused")};
    case Mark::Stopping: return {Icon::Stopping, Token::Warn, Words::tr("Stopping")};
    case Mark::Completed: return {Icon::Check, Token::Ok, Words::tr("Completed")};
    case Mark::Stopped: return {Icon::Stop, Token::Idle, Words::tr("Stopped")};
    case Mark::Failed: return {Icon::Cross, Token::Bad, Words::tr("Failed")};
    case Mark::Interrupted: return {Icon::Broken, Token::Intr, Words::tr("Interrupted")};
    case Mark::Warning: return {Icon::Warning, Token::Warn, Words::tr("Warning")};
    case Mark::Error: return {Icon::Error, Token::Bad, Words::tr("Error")};
    case Mark::Damaged: return {Icon::Broken, Token::Intr, Words::tr("Damaged")};
    case Mark::NotComparable: return {Icon::Clamp, Token::Intr, Words::tr("Not comparable")};
    }
    return {Icon::Info, Token::Text2, {}};
}

}  // namespace heddle::ui
