// SPDX-License-Identifier: GPL-3.0-or-later
// Time and memory of a training step in the strip above the diagram.
#include "tests/ui/compose/open_page.h"
#include "ui/pages/compose/panels/totals_strip.h"

#include <atomic>

namespace heddle::ui::test {

class Totals : public OpenPage {};

TEST_F(Totals, TheMemoryOfAStepIsShown) {
    EXPECT_EQ(total("memoryValue"), QString()) << "no value without an engine";
    std::atomic<int> measured = 0;
    studio_.services().stepMeter = [&](const VariantSpec& spec, const BatchShape& shape) {
        ++measured;
        const Dims dims = spec.resolve().dims;
        if (dims.vocabSrc <= 0 || dims.vocabTgt <= 0 || shape.source != dims.maxLen)
            throw std::runtime_error("sizes are missing");
        StepMemory memory;
        memory.peakBytes = double(dims.d) * 1024 * 1024;
        return memory;
    };
    draft().apply({"dims.d=32"}, text("width"));
    EXPECT_TRUE(waitUntil([&] { return total("memoryValue") == text("32.0 MiB"); })) << total("memoryValue").toStdString();
    draft().apply({"dims.d=48"}, text("width"));
    draft().apply({"dims.d=64"}, text("width"));
    EXPECT_TRUE(waitUntil([&] { return total("memoryValue") == text("64.0 MiB"); })) << total("memoryValue").toStdString();
    EXPECT_EQ(measured, 2) << "a draft is not measured during edits";
}

TEST_F(Totals, AStepIsComparedOnlyWithATimeOfTheBaseline) {
    auto* totals = page().findChild<TotalsStrip*>();
    const auto tip = [&] { return named<QWidget>(*totals, "step").toolTip(); };
    totals->showStep(StepTime{2, 2, 2}, StepTime{1, 1, 1});
    EXPECT_TRUE(tip().contains(text("2.00 × the baseline's "))) << tip().toStdString();
    totals->showStep(StepTime{2, 2, 2}, StepTime{0, 0, 0});
    EXPECT_FALSE(tip().isEmpty());
    EXPECT_FALSE(tip().contains(text("the baseline's"))) << tip().toStdString();
}

TEST_F(Totals, TheMemoryIsComparedWithThatOfTheBaseline) {
    auto* totals = page().findChild<TotalsStrip*>();
    std::atomic<int> measured = 0;
    studio_.services().stepMeter = [&](const VariantSpec& spec, const BatchShape&) {
        ++measured;
        StepMemory memory;
        memory.peakBytes = double(spec.resolve().dims.d) * 1024 * 1024;
        return memory;
    };
    Json other{{"preset", "eau-base"}, {"dims", small()["dims"]}};
    other["dims"]["d"] = 32;
    draft().setBaseline(other, text("narrow"));
    draft().apply({"dims.f=200"}, text("f"));
    ASSERT_TRUE(waitUntil([&] { return measured == 2 && settle(); }));
    EXPECT_EQ(total("memoryValue"), text("64.0 MiB"));
    EXPECT_EQ(total("memoryNote"), text("2.00 ×"));
    const auto boxes = totals->findChildren<QWidget*>();
    const auto isSpoken = [](const QWidget* box) { return box->accessibleName().endsWith(text(", 2.00 × the baseline")); };
    EXPECT_TRUE(std::any_of(boxes.begin(), boxes.end(), isSpoken));
    draft().apply({"dims.d=96"}, text("d"));
    ASSERT_TRUE(waitUntil([&] { return measured == 3 && settle(); }));
    EXPECT_EQ(total("memoryNote"), text("3.00 ×")) << "the baseline is measured once";
    other["dims"]["max_len"] = 32;
    draft().setBaseline(other, text("short"));
    ASSERT_TRUE(waitUntil([&] { return measured == 4 && settle(); }));
    EXPECT_TRUE(total("memoryNote").endsWith(text(" tokens"))) << "the batch differs";
}

}  // namespace heddle::ui::test
