// SPDX-License-Identifier: GPL-3.0-or-later
// A draft that is drawn over another variant marks new, missing and changed parts, also in accessible texts.
#include "engine/spec/variant_schema.h"
#include "tests/ui/compose/open_page.h"

namespace heddle::ui::test {
namespace {

class DrawOver : public testing::Test {
protected:
    Diagram layout(const Json& now, const Json& before, const std::set<std::string>& unfolded = {}) {
        draft_.open(now, text("now"));
        over_ = factsOf(before, {});
        return layoutDiagram(draft_, {unfolded, Marking::On, {}, Marking::On, {text("before"), over_}});
    }
    static Json preset(const std::string& name) { return {{"preset", name}}; }
    const DiagramBox& at(const Diagram& diagram, const char* path) {
        return diagram.boxes.at(std::size_t(diagram.boxOf(siteOfPath(path, draft_.facts()->variant).value())));
    }
    /// The frame of a layer of a stack.
    static const DiagramFrame* frameOf(const Diagram& diagram, const std::string& stack, int layer) {
        for (const auto& frame : diagram.frames)
            if (frame.stack == stack && frame.first <= layer && layer <= frame.last) return &frame;
        return nullptr;
    }
    void everyDifferenceIsDrawn(const Diagram& diagram);

    VariantDraft draft_;
    Facts over_;
};

/// A box of the slot, its sublayer or its layer.
bool isTold(const Diagram& diagram, const SlotSite& site) {
    for (const auto& frame : diagram.frames)
        if (frame.stack == site.stack && frame.first <= site.first && site.first <= frame.last &&
            frame.change != DiagramChange::None)
            return true;
    const auto isNewSublayer = [&](const DiagramBox& box) {
        if (box.kind != DiagramBox::Kind::Mixer || box.change != DiagramChange::New) return false;
        return std::any_of(diagram.sublayers.begin(), diagram.sublayers.end(), [&](const auto& one) {
            const auto& frame = diagram.frame(one.frame);
            return one.stack == site.stack && one.name == site.sublayer && frame.first <= site.first &&
                   site.first <= frame.last && one.rect.contains(box.rect.center());
        });
    };
    const auto isIt = [&](const DiagramBox& box) {
        if (isNewSublayer(box)) return true;
        if (!box.site || box.change == DiagramChange::None || box.site->stack != site.stack) return false;
        if (box.site->first > site.first || site.first > box.site->last || box.site->sublayer != site.sublayer) return false;
        return box.site->slot == site.slot || box.isAbsent;
    };
    return std::any_of(diagram.boxes.begin(), diagram.boxes.end(), isIt);
}

void DrawOver::everyDifferenceIsDrawn(const Diagram& diagram) {
    const auto sites = [&](const DraftFacts& facts, const DraftFacts& other) {
        for (const auto& [path, entry] : facts.tree.items()) {
            const auto site = siteOfPath(path, facts.variant);
            if (!site || (!site->isGlobal() && !site->hasLayers())) continue;
            if (other.tree.value(path, Json()) != entry) {
                EXPECT_TRUE(isTold(diagram, *site)) << path;
            }
        }
    };
    sites(*draft_.facts(), *over_);
    sites(*over_, *draft_.facts());
}

}  // namespace

TEST_F(DrawOver, EveryDifferenceOfPresetsIsDrawn) {
    const auto names = presetNames();
    for (std::size_t i = 0; i < names.size(); ++i)
        for (const std::size_t step : {1, 5, 17}) {
            const auto& other = names[(i + step) % names.size()];
            SCOPED_TRACE(names[i] + " over " + other);
            everyDifferenceIsDrawn(layout(preset(names[i]), preset(other)));
        }
}

TEST_F(DrawOver, AVariantOverItselfHasNoMarks) {
    for (const auto& name : presetNames()) {
        const Diagram diagram = layout(preset(name), preset(name));
        for (const auto& box : diagram.boxes) {
            EXPECT_EQ(box.change, DiagramChange::None) << name << box.title.toStdString();
            EXPECT_FALSE(box.differs);
        }
        for (const auto& frame : diagram.frames) EXPECT_EQ(frame.change, DiagramChange::None) << name;
    }
}

TEST_F(DrawOver, ABlockIsNewMissingOrChanged) {
    const Diagram more = layout(preset("eau-full"), preset("eau-base"));
    EXPECT_EQ(at(more, "encoder.self.adjuster").change, DiagramChange::New);
    EXPECT_EQ(at(more, "encoder.self.adjuster").title, text("EAU"));
    EXPECT_EQ(at(more, "encoder.self.residual").change, DiagramChange::Changed);
    EXPECT_EQ(at(more, "encoder.self.residual").before, text("add"));
    EXPECT_EQ(at(more, "encoder.self.residual").title, text("GRC"));
    EXPECT_EQ(at(more, "encoder.self.norm").change, DiagramChange::None);
    const Diagram less = layout(preset("eau-base"), preset("eau-full"));
    const DiagramBox& adjuster = at(less, "encoder.self.adjuster");
    EXPECT_EQ(adjuster.change, DiagramChange::Missing);
    EXPECT_EQ(adjuster.title, text("EAU")) << "the missing block";
    EXPECT_EQ(adjuster.kind, DiagramBox::Kind::Empty);
    EXPECT_TRUE(adjuster.isSlot()) << "the draft has the slot";
    EXPECT_EQ(at(less, "encoder.self.residual").before, text("GRC"));
    const Diagram norm =
        layout(Json{{"preset", "eau-base"}, {"defaults", {{"norm", {{"kind", "rmsnorm"}}}}}}, preset("eau-base"));
    EXPECT_EQ(at(norm, "encoder.self.norm").before, text("layernorm post"));
    EXPECT_EQ(at(norm, "encoder.self.norm").title, text("rmsnorm post"));
}

TEST_F(DrawOver, ParametersOfTheSameBlockAreShownWithBothValues) {
    const Json small{{"preset", "eau-full"}, {"defaults", {{"adjuster", {{"kind", "eau"}, {"hidden", 32}}}}}};
    const Diagram diagram = layout(small, preset("eau-full"));
    const DiagramBox& box = at(diagram, "encoder.self.adjuster");
    EXPECT_EQ(box.change, DiagramChange::Changed);
    EXPECT_TRUE(box.isSameBlock);
    EXPECT_EQ(box.title, text("EAU"));
    EXPECT_EQ(box.before, text("standard"));
    EXPECT_TRUE(box.detail.startsWith(text("hidden 32"))) << box.detail.toStdString();
}

TEST_F(DrawOver, LayersSublayersAndStacksThatAreMissingAreDrawn) {
    const auto deep = [](int layers) {
        return Json{{"preset", "eau-base"}, {"dims", {{"layers_enc", layers}, {"layers_dec", 2}}}};
    };
    const Diagram less = layout(deep(2), deep(5)), more = layout(deep(5), deep(2));
    ASSERT_NE(frameOf(less, "encoder", 4), nullptr);
    EXPECT_EQ(frameOf(less, "encoder", 4)->change, DiagramChange::Missing);
    EXPECT_EQ(frameOf(less, "encoder", 4)->first, 2);
    EXPECT_EQ(frameOf(less, "encoder", 1)->change, DiagramChange::None);
    EXPECT_EQ(frameOf(more, "encoder", 1)->last, 1) << "common layers are not folded with new ones";
    EXPECT_EQ(frameOf(more, "encoder", 3)->change, DiagramChange::New);
    EXPECT_TRUE(frameOf(more, "encoder", 3)->title.endsWith(text(", new")));
    const Diagram alone = layout(preset("bert-base"), preset("eau-base"));
    ASSERT_NE(frameOf(alone, "decoder", 0), nullptr);
    EXPECT_EQ(frameOf(alone, "decoder", 0)->change, DiagramChange::Missing);
}

TEST_F(DrawOver, AMissingSublayerIsDrawnAtItsPlace) {
    const Json without{{"preset", "bert-base"}, {"encoder", {{"sublayers", Json::array({{{"name", "ffn"}}})}}}};
    const Diagram less = layout(without, preset("bert-base"));
    ASSERT_TRUE(draft_.problems().empty()) << draft_.problems().front().what;
    const auto self = std::find_if(less.boxes.begin(), less.boxes.end(),
                                   [](const auto& box) { return box.isAbsent && box.site->sublayer == "self"; });
    ASSERT_NE(self, less.boxes.end());
    EXPECT_EQ(self->title, text("Self-attention"));
    EXPECT_FALSE(self->isSlot());
    EXPECT_LT(self->rect.bottom(), at(less, "encoder.ffn.ffn").rect.top());
    const Diagram more = layout(preset("bert-base"), without);
    const auto isNewSelf = [](const DiagramBox& box) {
        return box.title == text("Self-attention") && box.change == DiagramChange::New;
    };
    EXPECT_TRUE(std::any_of(more.boxes.begin(), more.boxes.end(), isNewSelf));
    EXPECT_EQ(more.frames.front().added, QStringList{text("Self-attention")});
}

TEST_F(DrawOver, ASublayerInAnotherPlaceIsMarkedAsMoved) {
    const Json plain{{"preset", "bert-base"}};
    Json turned = plain;
    turned["encoder"]["sublayers"] = Json::array({{{"name", "ffn"}}, {{"name", "self"}}});
    const Diagram diagram = layout(turned, plain, {"encoder"});
    ASSERT_TRUE(draft_.problems().empty()) << draft_.problems().front().what;
    QStringList moved;
    for (const auto& box : diagram.boxes) {
        EXPECT_FALSE(box.isAbsent);
        EXPECT_NE(box.change, DiagramChange::New);
        if (box.change == DiagramChange::Moved) moved << box.title;
    }
    moved.removeDuplicates();
    EXPECT_EQ(moved, QStringList{text("Self-attention")}) << "one of two exchanged sublayers";
    EXPECT_EQ(diagram.frames.front().moved, QStringList{text("Self-attention (place 1 of 2)")});
    const auto isTold = [](const Diagram& drawn) {
        return std::any_of(drawn.texts.begin(), drawn.texts.end(),
                           [](const auto& one) { return one.text == text("moved: at another place in before"); });
    };
    EXPECT_TRUE(isTold(diagram));
    EXPECT_FALSE(isTold(layout(plain, plain)));
}

TEST_F(DrawOver, TheFewestSublayersAreMoved) {
    Json decoder{{"preset", "eau-base"}};
    decoder["decoder"]["sublayers"] = Json::array({{{"name", "ffn"}}, {{"name", "self"}}, {{"name", "cross"}}});
    const Diagram diagram = layout(decoder, preset("eau-base"));
    ASSERT_TRUE(draft_.problems().empty()) << draft_.problems().front().what;
    const DiagramFrame* frame = frameOf(diagram, "decoder", 0);
    ASSERT_NE(frame, nullptr);
    EXPECT_EQ(frame->moved, QStringList{text("Feed-forward (place 3 of 3)")});
    EXPECT_TRUE(frameOf(diagram, "encoder", 0)->moved.isEmpty());
}

TEST_F(DrawOver, ACarryThatIsMissingIsADashedArc) {
    const Json deep{{"preset", "eau-base"}, {"dims", {{"layers_enc", 4}, {"layers_dec", 2}}}};
    const auto carried = [&](int offset) {
        Json more = deep;
        more["encoder"]["layers"] = {{"3", {{"self", {{"score", {{"rule", "add"}, {"offsets", {offset}}}}}}}}};
        return more;
    };
    const auto arcs = [](const Diagram& diagram, DiagramChange change) {
        return std::count_if(diagram.wires.begin(), diagram.wires.end(),
                             [&](const auto& wire) { return wire.colour && wire.change == change; });
    };
    const std::set<std::string> all{"encoder", "decoder"};
    const Diagram none = layout(deep, carried(2), all);
    ASSERT_TRUE(draft_.problems().empty()) << draft_.problems().front().what;
    ASSERT_TRUE(over_);
    EXPECT_EQ(arcs(none, DiagramChange::Missing), 1);
    EXPECT_EQ(arcs(none, DiagramChange::None), 0);
    const auto isTold = std::any_of(none.texts.begin(), none.texts.end(),
                                    [](const auto& one) { return one.text == text("dashed arc: score carry only in before"); });
    EXPECT_TRUE(isTold);
    const Diagram other = layout(carried(1), carried(2), all);
    EXPECT_EQ(arcs(other, DiagramChange::Missing), 1);
    EXPECT_EQ(arcs(other, DiagramChange::None), 1);
    EXPECT_EQ(arcs(layout(carried(2), carried(2), all), DiagramChange::Missing), 0);
    EXPECT_EQ(arcs(layout(deep, carried(2)), DiagramChange::Missing), 0) << "folded layers have no arcs";
}

TEST_F(DrawOver, NothingOverlaps) {
    const Diagram diagram = layout(preset("bert-base"), preset("thesis-G2"));
    for (std::size_t i = 0; i < diagram.frames.size(); ++i)
        for (std::size_t j = i + 1; j < diagram.frames.size(); ++j)
            EXPECT_FALSE(diagram.frames[i].rect.intersects(diagram.frames[j].rect)) << i << j;
    for (const auto& words : diagram.texts) {
        if (words.look != DiagramText::Look::Variable) {
            for (const auto& frame : diagram.frames)
                EXPECT_FALSE(frame.rect.contains(words.rect.center())) << words.text.toStdString();
        }
        EXPECT_TRUE(diagram.bounds.contains(words.rect));
    }
}

}  // namespace heddle::ui::test
