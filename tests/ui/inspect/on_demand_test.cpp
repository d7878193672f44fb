// SPDX-License-Identifier: GPL-3.0-or-later
// Inspect measures the logit lens and the labels of heads when their buttons are pressed.
#include "tests/ui/inspect/inspect_page_fixture.h"
#include "ui/panels/head_labels_panel.h"
#include "ui/panels/lens_panel.h"
#include "ui/widgets/panel_title.h"

#include <QtTest/qtestmouse.h>
#include <QComboBox>
#include <QDockWidget>
#include <QFileInfo>
#include <QHeaderView>
#include <QTableWidget>

#include <tuple>

using namespace heddle;
using namespace heddle::ui;
using namespace heddle::ui::test;
using testing::HasSubstr;
using testing::Not;

namespace {

enum { kHead = 1, kLabels = 2, kPrevious = 3, kInduction = 8, kCopying = 9, kEntropy = 10 };  // columns of the labels

class InspectOnDemand : public InspectPageTest {
protected:
    LensPanel& lens() { return the<LensPanel>(); }
    QTableWidget& labels() { return named<QTableWidget>("headLabels"); }
    bool isLensShown() { return lens().plot().isVisibleTo(&lens()); }
    bool areLabelsShown() { return !labels().isHidden(); }
    double value(int bar) { return lens().plot().data().bars.at(bar).value; }
    /// Presses the button and waits for the answer, or for the end of what it cancels.
    void measure(const char* objectName) {
        press(objectName);
        ASSERT_TRUE(settle());
    }
    std::size_t timesLensed() { return asked_.copyOf(&Asked::lensed).size(); }
};

}  // namespace

TEST_F(InspectOnDemand, LayersAreReadWhenTheUserAsks) {
    open();
    EXPECT_EQ(timesLensed(), 0U);
    EXPECT_FALSE(isLensShown());
    measure("measureLens");
    ASSERT_TRUE(isLensShown());
    EXPECT_EQ(timesLensed(), 1U);
    ASSERT_EQ(lens().plot().data().bars.size(), 2);
    EXPECT_EQ(lens().plot().data().bars[1].label, text("dec.0"));
    EXPECT_DOUBLE_EQ(value(0), 4);
    EXPECT_DOUBLE_EQ(value(1), 3);
    EXPECT_FALSE(lens().plot().data().bars[0].reference) << "there is no B";
    EXPECT_THAT(dynamic_cast<PanelTitle&>(*lens().titleRow()).note().toStdString(), HasSubstr("256"));
    EXPECT_THAT(dynamic_cast<PanelTitle&>(*lens().titleRow()).note().toStdString(), HasSubstr("half precision"));
    EXPECT_EQ(lens().plot().table().rows.size(), 2);
    EXPECT_FALSE(button("measureLens").isEnabled()) << "it would measure the same";
    auto& quantity = named<QComboBox>("lensQuantity");
    const std::tuple<const char*, double, double> others[]{{"accuracy", 25, 50}, {"same", 50, 100}, {"kl", 1, 0}};
    for (const auto& [key, first, second] : others) {
        quantity.setCurrentIndex(quantity.findData(text(key)));
        EXPECT_DOUBLE_EQ(value(0), first) << key;
        EXPECT_DOUBLE_EQ(value(1), second) << key;
    }
}

TEST_F(InspectOnDemand, WhatWasMeasuredStaysWithItsModel) {
    open();
    measure("measureLens");
    scrub().goPrevious();
    ASSERT_TRUE(settle());
    EXPECT_FALSE(isLensShown()) << "it is of a later checkpoint";
    measure("measureLens");
    EXPECT_DOUBLE_EQ(value(0), 4.5);
    scrub().follow();
    ASSERT_TRUE(settle());
    ASSERT_TRUE(isLensShown());
    EXPECT_DOUBLE_EQ(value(0), 4);
    EXPECT_EQ(timesLensed(), 2U) << "it is known";
    chooseA(kB);
    EXPECT_FALSE(isLensShown());
    scrub().scrubber().setValue(100);
    ASSERT_TRUE(settle());
    EXPECT_FALSE(isLensShown());
    EXPECT_FALSE(button("measureLens").isEnabled()) << "there is no checkpoint";
}

TEST_F(InspectOnDemand, AllCheckpointsMakeAMapOfLayersBySteps) {
    open();
    measure("measureLens");
    const auto isMapShown = [&] { return lens().map().isVisibleTo(&lens()); };
    EXPECT_FALSE(isMapShown()) << "one checkpoint is no course";
    measure("measureLensOfAll");
    ASSERT_TRUE(isMapShown());
    EXPECT_EQ(timesLensed(), 2U) << "that of this step was known";
    EXPECT_FALSE(button("measureLensOfAll").isEnabled()) << "all are known";
    const MapData& map = lens().map().data();
    const auto& bars = lens().plot().data().bars;
    EXPECT_EQ(map.rowLabels, QStringList({bars[0].label, bars[1].label}));
    EXPECT_EQ(map.columnLabels, QStringList({text("200"), text("400")}));
    EXPECT_EQ(map.values, (std::vector<float>{4.5, 4, 3.5, 3}));
    EXPECT_EQ(lens().map().scale().low, 3);
    EXPECT_EQ(lens().map().scale().high, 4.5);
    auto& quantity = named<QComboBox>("lensQuantity");
    quantity.setCurrentIndex(quantity.findData(text("accuracy")));
    EXPECT_EQ(lens().map().data().values, (std::vector<float>{25, 25, 50, 50}));
    EXPECT_EQ(lens().map().scale().high, 100) << "a share";
    EXPECT_EQ(lens().map().table().rows.size(), 2);
    chooseA(kB);
    chooseA(kA);
    EXPECT_TRUE(isMapShown()) << "it is known";
}

TEST_F(InspectOnDemand, LayersOfBAreTicksWhereBHasTheSame) {
    open();
    chooseB(kB);
    measure("measureLens");
    EXPECT_EQ(timesLensed(), 2U);
    ASSERT_TRUE(lens().plot().data().bars[1].reference);
    EXPECT_DOUBLE_EQ(*lens().plot().data().bars[1].reference, 3.5);
    asked_.layersOfB = 2;
    scrub().goPrevious();
    ASSERT_TRUE(settle());
    measure("measureLens");
    EXPECT_EQ(timesLensed(), 4U);
    ASSERT_TRUE(isLensShown());
    EXPECT_FALSE(lens().plot().data().bars[1].reference) << "B has a layer more";
}

TEST_F(InspectOnDemand, ARefusalIsSaidAndTheUserMayAskAgain) {
    open();
    chooseB(kB);
    asked_.cannotMeasure = true;
    measure("measureLens");
    EXPECT_FALSE(isLensShown());
    EXPECT_TRUE(says("the run predicts no tokens (task): rank its heads"));
    EXPECT_EQ(timesLensed(), 1U) << "B alone would not be shown";
    asked_.cannotMeasure = false;
    scrub().goPrevious();
    ASSERT_TRUE(settle());
    EXPECT_FALSE(says("the run predicts no tokens")) << "that was the other model";
    scrub().follow();
    ASSERT_TRUE(settle());
    EXPECT_TRUE(says("the run predicts no tokens"));
    measure("measureLens");
    EXPECT_TRUE(isLensShown());
    EXPECT_FALSE(says("the run predicts no tokens"));
}

TEST_F(InspectOnDemand, ACancelledMeasurementLeavesNothing) {
    open();
    chooseB(kB);
    asked_.measuresForever = true;
    press("measureLens");
    ASSERT_TRUE(waitUntil([&] { return asked_.isMeasuring.load(); }));
    EXPECT_FALSE(page_->isSettled());
    measure("measureLens");  // it cancels now
    EXPECT_FALSE(isLensShown());
    EXPECT_FALSE(says("stopped"));
    EXPECT_EQ(timesLensed(), 1U) << "B is not measured";
    asked_.measuresForever = false;
    measure("measureLens");
    EXPECT_TRUE(isLensShown());
}

TEST_F(InspectOnDemand, WhileItMeasuresThePageCanGo) {
    open();
    asked_.measuresForever = true;
    press("measureLabels");
    ASSERT_TRUE(waitUntil([&] { return asked_.isMeasuring.load(); }));
    page_.reset();
    EXPECT_FALSE(asked_.isMeasuring);
}

TEST_F(InspectOnDemand, HeadsAreLabelledSortedAndChosen) {
    open();
    chooseB(kB);
    EXPECT_FALSE(areLabelsShown());
    measure("measureLabels");
    ASSERT_TRUE(areLabelsShown());
    EXPECT_EQ(asked_.copyOf(&Asked::labelled).size(), 1U) << "the table is of A alone";
    ASSERT_EQ(labels().rowCount(), 4);
    EXPECT_EQ(labels().item(0, kLabels)->text(), text("previous token"));
    EXPECT_EQ(labels().item(0, kPrevious)->text(), text("0.900"));
    EXPECT_TRUE(labels().isColumnHidden(kInduction)) << "no head has this score";
    EXPECT_FALSE(labels().isColumnHidden(kEntropy));
    named<QDockWidget>("inspect_labels").raise();
    ASSERT_TRUE(settle());
    QHeaderView& header = *labels().horizontalHeader();
    const int middle = header.sectionViewportPosition(kCopying) + header.sectionSize(kCopying) / 2;
    QTest::mouseClick(header.viewport(), Qt::LeftButton, {}, QPoint(middle, header.height() / 2));
    EXPECT_EQ(labels().item(0, kCopying)->text(), text("0.700")) << "the largest first";
    EXPECT_EQ(labels().item(2, kCopying)->text(), text("–")) << "those without the score last";
    labels().selectRow(0);
    EXPECT_EQ(chosenSublayer(), text("encoder.layers.0.self"));
    EXPECT_EQ(grid().current()->head, 1);
}

TEST_F(InspectOnDemand, LabelsAreExportedWithAllScores) {
    open();
    EXPECT_TRUE(button("exportLabels").isHidden()) << "nothing has been measured";
    measure("measureLabels");
    EXPECT_FALSE(button("exportLabels").isHidden());
    const QString file = folder_.filePath(text("labels.csv"));
    the<HeadLabelsPanel>().exportTo(file);
    ASSERT_TRUE(waitUntil([&] { return QFileInfo(file).size() > 0; }));
    QFile csv(file);
    ASSERT_TRUE(csv.open(QIODevice::ReadOnly));
    const QByteArray written = csv.readAll();
    EXPECT_EQ(written.count('\n'), 5) << "a header and four heads";
    EXPECT_TRUE(written.contains("encoder.layers.0.self,0,previous token,0.9,,,,,,0.1,\n")) << written.data();
    EXPECT_TRUE(written.contains("decoder.layers.0.cross,0,,,,,,,,,1.5\n")) << written.data();
}

TEST_F(InspectOnDemand, LabelsStandInTheTooltipsOfTheirModelsHeads) {
    open();
    const auto tooltip = [&] { return grid().accessibleText({0, 0}).toStdString(); };
    measure("measureLabels");
    EXPECT_THAT(tooltip(), HasSubstr("previous token"));
    EXPECT_THAT(grid().accessibleText({1, 0}).toStdString(), Not(HasSubstr("previous token")));
    scrub().goPrevious();
    ASSERT_TRUE(settle());
    EXPECT_FALSE(areLabelsShown());
    EXPECT_THAT(tooltip(), Not(HasSubstr("previous token"))) << "of another checkpoint";
    scrub().follow();
    ASSERT_TRUE(settle());
    EXPECT_EQ(labels().rowCount(), 4);
    EXPECT_THAT(tooltip(), HasSubstr("previous token"));
}
