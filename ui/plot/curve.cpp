// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/curve.h"

#include <algorithm>
#include <stdexcept>

namespace heddle::ui {

namespace {

using Knot = StepAxis::Knot;

double interpolate(const std::vector<Knot>& knots, double value, double Knot::*from, double Knot::*to) {
    auto right = std::upper_bound(knots.begin() + 1, knots.end() - 1, value,
                                  [from](double v, const Knot& knot) { return v < knot.*from; });
    const Knot &a = *(right - 1), &b = *right;
    return a.*to + (value - a.*from) * (b.*to - a.*to) / (b.*from - a.*from);
}

}  // namespace

Token tokenOf(EventKind kind) {
    switch (kind) {
    case EventKind::Resumed: return Token::Ok;
    case EventKind::Intervention: return Token::Intr;
    case EventKind::Failure: return Token::Bad;
    case EventKind::Gap: return Token::Warn;
    }
    return Token::Text2;
}

StepAxis::StepAxis(QString title, std::vector<Knot> knots) : title_(std::move(title)), knots_(std::move(knots)) {
    if (knots_.size() < 2) throw std::invalid_argument("step axis: two knots at least");
    for (std::size_t i = 1; i < knots_.size(); ++i)
        if (knots_[i].step <= knots_[i - 1].step || knots_[i].x <= knots_[i - 1].x)
            throw std::invalid_argument("step axis: knots must ascend");
}

double StepAxis::toX(double step) const { return knots_.empty() ? step : interpolate(knots_, step, &Knot::step, &Knot::x); }
double StepAxis::toStep(double x) const { return knots_.empty() ? x : interpolate(knots_, x, &Knot::x, &Knot::step); }

}  // namespace heddle::ui
