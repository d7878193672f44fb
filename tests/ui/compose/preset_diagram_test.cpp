// SPDX-License-Identifier: GPL-3.0-or-later
// The diagrams of all presets: stacks, attentions and score carries.
#include "engine/spec/variant_schema.h"
#include "tests/ui/support/offscreen.h"
#include "ui/pages/compose/diagram/diagram_scene.h"
#include "ui/pages/compose/draft/variant_draft.h"
#include "ui/pages/compose/panels/parts_tabs.h"
#include "ui/pages/compose/panels/preset_model.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"

#include <gmock/gmock.h>
#include <QFile>
#include <QImage>
#include <QTemporaryDir>
#include <QTreeView>

using namespace heddle;
using namespace heddle::ui;
using namespace heddle::ui::test;

namespace {

class PresetDiagram : public testing::Test {
protected:
    void open(const std::string& preset) { draft_.open(Json{{"preset", preset}}, QString::fromStdString(preset)); }
    Diagram layout(const std::set<std::string>& unfolded = {}, const std::optional<SlotSite>& selected = {}) {
        return layoutDiagram(draft_, {unfolded, Marking::On, selected});
    }
    SlotSite site(const char* path) { return siteOfPath(path, draft_.facts()->variant).value(); }
    static QStringList titles(const Diagram& diagram) {
        QStringList all;
        for (const auto& box : diagram.boxes) all << box.title;
        for (const auto& frame : diagram.frames) all << frame.title;
        for (const auto& words : diagram.texts) all << words.text;
        return all;
    }
    static bool offers(const Diagram& diagram, const SlotSite& site) {
        for (const auto& box : diagram.boxes)
            for (const auto& [other, words] : box.others)
                if (other == site) return true;
        return false;
    }
    static auto arcs(const Diagram& diagram) {
        return std::count_if(diagram.wires.begin(), diagram.wires.end(),
                             [](const auto& wire) { return wire.colour.has_value(); });
    }

    VariantDraft draft_;
};

}  // namespace

TEST_F(PresetDiagram, EveryPresetIsDrawnAndEverySlotCanBeSelected) {
    ASSERT_GE(presetNames().size(), 40U);
    for (const auto& name : presetNames()) {
        SCOPED_TRACE(name);
        open(name);
        ASSERT_TRUE(draft_.problems().empty()) << draft_.problems().front().what;
        ASSERT_TRUE(draft_.facts());
        const auto& variant = draft_.facts()->variant;
        const Diagram folded = layout(), open = layout({"encoder", "decoder"});
        EXPECT_EQ(open.frames.size(), variant.encoder.size() + variant.decoder.size());
        std::set<std::string> stacks;
        for (const auto& frame : folded.frames) stacks.insert(frame.stack);
        EXPECT_EQ(stacks.size(), stacksOf(variant.topology).size());
        for (const auto& slot : builtinCatalogue().slots())
            for (const auto& site : sitesOf(variant, slot))
                EXPECT_TRUE(folded.boxOf(site) >= 0 || offers(open, {site.stack, site.sublayer, site.slot, 0, 0}) ||
                            offers(folded, site))
                    << displayPath(site, variant).toStdString();
        for (const auto& module : draft_.facts()->cost.modules)
            if (const auto found = siteOfPath(module.path, variant)) {
                EXPECT_EQ(modulePath(*found, found->first), module.path);
                EXPECT_TRUE(draft_.facts()->places.contains(module.path));
            }
    }
}

TEST_F(PresetDiagram, APlusIsDrawnOnlyIfABlockCanBeAdded) {
    for (const auto& name : presetNames()) {
        SCOPED_TRACE(name);
        open(name);
        const Diagram diagram = layout({"encoder", "decoder"});
        int plus = 0;
        for (const auto& box : diagram.boxes) {
            const bool adds = box.offer == DiagramBox::Offer::Add;
            EXPECT_EQ(adds, box.title == text("+")) << box.title.toStdString();
            plus += adds ? 1 : 0;
            EXPECT_EQ(!box.isOffer(), box.others.empty());
            for (const auto& [site, words] : box.others)
                EXPECT_EQ(holdsNothing(*choiceAt(draft_.facts()->variant, site)), adds)
                    << displayPath(site, draft_.facts()->variant).toStdString();
            if (box.offer == DiagramBox::Offer::More) {
                EXPECT_EQ(box.title, QStringLiteral("%1 more").arg(box.others.size()));
            }
        }
        EXPECT_GT(plus, 0) << "no preset fills every slot";
    }
}

/// Around a sublayer goes what its residual block reads; layers that weigh all earlier ones have different numbers of weights.
TEST_F(PresetDiagram, NamesWhatGoesAroundASublayer) {
    for (const auto& [kind, letter, isGrowing] :
         {std::tuple{"add", "r", false}, {"hyper", "4h", false}, {"dense", "X", true}, {"attn_res", "v", false}}) {
        const Json norm{{"kind", "layernorm"}, {"place", "pre"}}, defaults{{"residual", kind}, {"norm", norm}};
        draft_.open(Json{{"topology", "encoder"}, {"dims", {{"layers_enc", 4}}}, {"defaults", defaults}}, text(kind));
        const Diagram diagram = layout();
        EXPECT_EQ(titles(diagram).count(text(letter)), 2) << kind;
        ASSERT_EQ(diagram.frames.size(), 1U) << kind;
        EXPECT_EQ(diagram.frames.front().figure.contains(QChar(0x2013)), isGrowing)
            << kind << " " << diagram.frames.front().figure.toStdString();
    }
}

TEST_F(PresetDiagram, AnEncoderAloneHasNoMemoryAndNoTarget) {
    open("bert-base");
    const QString all = titles(layout()).join(QLatin1Char('\n'));
    EXPECT_FALSE(all.contains(text("memory")));
    EXPECT_FALSE(all.contains(text("target")));
    EXPECT_TRUE(all.contains(text("tokens [B, S], 30,522 types")));
    EXPECT_TRUE(all.contains(text("logits [B, S, 30,522]")));
    open("star-gate");
    const QStringList star = titles(layout());
    EXPECT_TRUE(star.contains(text("StarSaber attention")));
    EXPECT_TRUE(star.contains(text("combine tanh_gated")));
    EXPECT_FALSE(star.contains(text("direct vx"))) << "every such attention has it";
    EXPECT_TRUE(star.contains(text("classify [B, 2]")));
    EXPECT_EQ(draft_.facts()->variant.dims.vocabTgt, draft_.assumed().source) << "one stack has one vocabulary";
}

TEST_F(PresetDiagram, ASelectedSlotIsDrawnAlsoWithItsStandardBlock) {
    open("eau-base");
    for (const char* path : {"encoder.self.mask", "encoder.self.parallel", "encoder.share", "decoder.h0"}) {
        const SlotSite one = site(path);
        EXPECT_LT(layout().boxOf(one), 0) << path;
        EXPECT_GE(layout({}, one).boxOf(one), 0) << path;
    }
    draft_.apply({"encoder.self.parallel=sdu"}, text("sdu"));
    const Diagram diagram = layout();
    const auto top = [&](const char* path) { return diagram.box(diagram.boxOf(site(path))).rect.top(); };
    EXPECT_LT(top("encoder.self.dropout"), top("encoder.self.parallel"));
    EXPECT_LT(top("encoder.self.parallel"), top("encoder.self.residual"));
}

TEST_F(PresetDiagram, ASharedStackIsDrawnAsOneLayerWithANote) {
    open("eau-base");
    draft_.chooseBlock(site("encoder.share"), VariantDraft::Reach::Site, "shared");
    ASSERT_TRUE(draft_.problems().empty()) << draft_.problems().front().what;
    const Diagram diagram = layout();
    EXPECT_EQ(diagram.frames.front().title, text("encoder.layers.0, shared × 6"));
    EXPECT_GE(diagram.boxOf(site("encoder.share")), 0);
    EXPECT_EQ(draft_.facts()->places.at("encoder.layers.0.self.scorer").passes, 6);
    draft_.chooseBlock(site("encoder.h0"), VariantDraft::Reach::Site, "linear");
    ASSERT_TRUE(draft_.problems().empty()) << draft_.problems().front().what;
    EXPECT_TRUE(titles(layout()).contains(text("h⁰ linear")));
    open("star-fixedpoint");
    EXPECT_EQ(layout().frames.front().title, text("encoder.layers.0, fixed point"));
}

TEST_F(PresetDiagram, CarriedScoresAreArcsBetweenUnfoldedLayers) {
    open("thesis-G2");
    const Diagram folded = layout(), open = layout({"encoder", "decoder"});
    EXPECT_TRUE(titles(folded).contains(text("scores of n−1, n−2, gate")))
        << titles(folded).join(QLatin1Char('|')).toStdString();
    EXPECT_EQ(arcs(folded), 0);
    EXPECT_EQ(arcs(open), 2 * (3 + 2)) << "offsets 1 and 2 in two stacks of four layers";
    for (const auto& wire : open.wires)
        if (wire.colour) {
            const QPointF middle = wire.points[wire.points.size() / 2];
            for (const auto& frame : open.frames) EXPECT_FALSE(frame.rect.contains(middle));
            EXPECT_TRUE(open.bounds.contains(middle));
        }
    EXPECT_EQ(arcs(layout({"decoder"})), 5);
    const Diagram without = layoutDiagram(draft_, {{"encoder", "decoder"}, Marking::On, {}, Marking::Off});
    EXPECT_EQ(arcs(without), 0) << "switched off";
    EXPECT_EQ(without.boxes.size(), open.boxes.size());
}

TEST(PresetGroups, PapersWithOneNameAreOneGroup) {
    PresetModel model;
    model.setEntries(readPresets({}));
    QStringList groups;
    for (int row = 0; row < model.rowCount(); ++row) groups << model.index(row, 0).data().toString();
    EXPECT_FALSE(groups.contains(text("thesis")));
    EXPECT_TRUE(groups.contains(text("Gated ResNet thesis")));
    EXPECT_EQ(groups.last(), text("Other papers"));
    EXPECT_LE(groups.size(), 7);
    EXPECT_EQ(groups.removeDuplicates(), 0);
}

TEST(PresetGroups, ANarrowListHasRoomForTheNames) {
    const VariantDraft draft;
    PartsTabs panel(draft, nullptr);
    auto entries = readPresets({});
    for (auto& entry : entries) entry.parameters = 137'867'322;
    panel.presets().setEntries(entries);
    panel.resize(px(200), px(500));
    panel.show();
    const auto* tree = &named<QTreeView>(panel, "presets");
    const auto count = [&] { return tree->model()->index(0, 1, tree->model()->index(1, 0)); };
    EXPECT_EQ(count().data().toString(), QString());
    EXPECT_TRUE(count().data(Qt::ToolTipRole).toString().contains(text("parameters")));
    const auto isNarrow = [&] { return tree->columnWidth(1) < px(40); };
    EXPECT_TRUE(ui::test::waitUntil(isNarrow)) << tree->columnWidth(1);
    panel.resize(px(300), px(500));
    EXPECT_FALSE(count().data().toString().isEmpty());
    EXPECT_TRUE(ui::test::waitUntil([&] { return !isNarrow(); }));
}

TEST_F(PresetDiagram, IsExportedWithoutControlsForEditing) {
    open("eau-full");
    const Diagram diagram = layout();
    for (const auto offer : {DiagramBox::Offer::Add, DiagramBox::Offer::More}) {
        const auto isOffered = [&](const DiagramBox& box) { return box.offer == offer; };
        ASSERT_TRUE(std::any_of(diagram.boxes.begin(), diagram.boxes.end(), isOffered));
    }
    const QTemporaryDir folder;
    const auto written = [&](const char* name) {
        const QString file = folder.filePath(text(name));
        writeDiagram(diagram, text("eau-full"), file);
        QFile read(file);
        EXPECT_TRUE(read.open(QIODevice::ReadOnly));
        return read.readAll();
    };
    const QByteArray svg = written("a.svg");
    EXPECT_TRUE(svg.contains("<title>eau-full</title>"));
    EXPECT_TRUE(svg.contains("Self-attention"));
    EXPECT_FALSE(svg.contains(">+</text>"));
    EXPECT_FALSE(svg.contains(" more</text>"));
    EXPECT_TRUE(written("a.pdf").startsWith("%PDF"));
    const QImage picture = QImage::fromData(written("a.png"), "PNG");
    EXPECT_GT(picture.width(), 2 * diagram.bounds.width());
    const QByteArray png = written("a.png");
    Theme::instance().setAppearance(Appearance::Dark);
    EXPECT_EQ(written("b.svg"), svg) << "the picture does not depend on the theme";
    EXPECT_EQ(written("b.png"), png);
    EXPECT_TRUE(Theme::isDark());
    Theme::instance().setAppearance(Appearance::Light);
    if (const QString kept = qEnvironmentVariable("HEDDLE_SHOTS"); !kept.isEmpty())
        writeDiagram(diagram, text("eau-full"), kept + text("/diagram.png"));
    EXPECT_THROW(writeDiagram(diagram, {}, folder.filePath(text("no/such/folder.svg"))), std::runtime_error);
}
