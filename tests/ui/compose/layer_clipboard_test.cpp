// SPDX-License-Identifier: GPL-3.0-or-later
// Copy and paste of layers: the clipboard, the document, and what is refused.
#include "ui/pages/compose/draft/layer_clipboard.h"
#include "engine/base/error.h"
#include "engine/spec/variant_schema.h"
#include "engine/spec/variant_spec.h"
#include "tests/ui/compose/open_page.h"

#include <QtTest/qtestkeyboard.h>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QInputDialog>
#include <QMenu>
#include <QMimeData>
#include <QSignalSpy>

namespace heddle::ui::test {
namespace {

Facts factsOfPreset(const std::string& preset) { return factsOf(Json{{"preset", preset}}, {}); }

Json pasted(const Json& onto, const Json& layer, const LayerChoice& to) {
    return withLayer(asRunDocument(onto), *factsOf(onto, {}), readLayerDocument(layer.dump()), to);
}

/// What, where and next of the refusal of a text.
std::string refusal(const std::string& words) {
    try {
        readLayerDocument(words);
    } catch (const Error& error) {
        EXPECT_FALSE(error.next().empty()) << words;
        return error.problem() + " @ " + error.where();
    }
    return "it was taken";
}

class PasteLayer : public OpenPage {
protected:
    void SetUp() override {
        OpenPage::SetUp();
        actionNamed(page().viewActions(), "unfoldLayers").trigger();
        page().diagram().setFocus(Qt::OtherFocusReason);
    }
    static QString clipboard() { return QGuiApplication::clipboard()->text(); }
    void copy(const char* path) {
        draft().select(site(path));
        QTest::keyClick(&page().diagram(), Qt::Key_C, Qt::ControlModifier);
    }
    void paste(const char* path) {
        draft().select(site(path));
        QTest::keyClick(&page().diagram(), Qt::Key_V, Qt::ControlModifier);
        ASSERT_TRUE(settle());
    }
};

}  // namespace

TEST(LayerClipboard, EveryLayerOfEveryPresetIsPastedUnchanged) {
    for (const auto& name : presetNames()) {
        SCOPED_TRACE(name);
        const Facts facts = factsOfPreset(name);
        ASSERT_TRUE(facts);
        for (const auto& stack : stacksOf(facts->variant.topology)) {
            const auto& layers = layersOf(facts->variant, stack);
            const Json document = asRunDocument(Json{{"preset", name}}), first = layerDocument(facts->variant, stack, 0);
            EXPECT_EQ(readLayerDocument(first.dump()), first);
            EXPECT_EQ(withLayer(document, *facts, first, {stack, {0}}), document)
                << "a layer pasted onto itself changes nothing";
            std::vector<int> all;
            for (int i = 0; i < int(layers.size()); ++i) all.push_back(i);
            const Facts now = factsOf(withLayer(document, *facts, first, {stack, all}), {});
            ASSERT_TRUE(now);
            for (const auto& layer : layersOf(now->variant, stack)) EXPECT_TRUE(sameLayer(layer, layers.front()));
        }
    }
}

TEST(LayerClipboard, ALayerOfAnotherPresetReplacesTheWholeLayer) {
    const Facts from = factsOfPreset("thesis-G2");
    for (const std::string preset : {"eau-base", "eau-full", "thesis-M2", "realformer"}) {
        SCOPED_TRACE(preset);
        const Json target{{"preset", preset}};
        for (const std::string stack : {"encoder", "decoder"}) {
            const Json next = pasted(target, layerDocument(from->variant, stack, 2), {stack, {1, 3}});
            const Facts now = factsOf(next, {}), before = factsOf(target, {});
            ASSERT_TRUE(now);
            const auto& source = layersOf(from->variant, stack)[2];
            for (int i = 0; i < int(layersOf(now->variant, stack).size()); ++i) {
                const auto& expected = i == 1 || i == 3 ? source : layersOf(before->variant, stack)[std::size_t(i)];
                EXPECT_TRUE(sameLayer(layersOf(now->variant, stack)[std::size_t(i)], expected)) << stack << i;
            }
        }
    }
}

TEST(LayerClipboard, AnotherStackKeepsItsMaskAndItsCrossAttention) {
    const Facts from = factsOfPreset("eau-full");
    const Json next = pasted(Json{{"preset", "eau-base"}}, layerDocument(from->variant, "encoder", 0), {"decoder", {0}});
    const Facts now = factsOf(next, {});
    ASSERT_TRUE(now);
    const auto id = [&](const char* path) { return choiceAt(now->variant, *siteOfPath(path, now->variant))->id; };
    EXPECT_EQ(id("decoder.layers.0.self.adjuster"), "eau");
    EXPECT_EQ(id("decoder.layers.1.self.adjuster"), "none");
    EXPECT_EQ(id("decoder.layers.0.self.mask"), "causal") << "the decoder must stay causal";
    EXPECT_EQ(id("decoder.layers.0.cross.adjuster"), "none");
    EXPECT_EQ(unchangedSublayers(now->variant, layerDocument(from->variant, "encoder", 0), "decoder"),
              QStringList{text("cross")});
    try {
        pasted(Json{{"preset", "eau-base"}}, layerDocument(from->variant, "decoder", 0), {"encoder", {0}});
        FAIL() << "an encoder has no cross-attention";
    } catch (const Error& error) {
        EXPECT_NE(error.problem().find("cross"), std::string::npos);
        EXPECT_EQ(error.where(), "encoder.sublayers");
        EXPECT_FALSE(error.next().empty());
    }
}

TEST(LayerClipboard, ATextThatIsNotALayerIsRefusedWithItsPlace) {
    const auto layer = [](const std::string& inner) {
        return R"({"schema":"heddle.layer/1","stack":"encoder","layer":)" + inner + "}";
    };
    const std::string foreign = "the clipboard holds no layer of a variant @ clipboard";
    EXPECT_EQ(refusal(""), "there is no layer to paste @ clipboard");
    for (const std::string words : {"hello", "{", "[1]", "{}", R"({"schema":"heddle.plan/1"})", R"({"schema":7})"})
        EXPECT_EQ(refusal(words), foreign) << words;
    EXPECT_EQ(refusal(std::string(2 << 20, ' ')), "the text is too long for a layer @ clipboard");
    EXPECT_EQ(refusal(R"({"schema":"heddle.layer/1","stack":"tower","layer":{}})"),
              "the stack of the layer is unknown @ clipboard, stack");
    EXPECT_EQ(refusal(layer("{}")), "the layer has no sublayers @ clipboard, layer");
    EXPECT_EQ(refusal(layer(R"({"cross":{}})")), "there is no sublayer \"cross\" @ clipboard, layer.cross");
    EXPECT_EQ(refusal(layer(R"({"self":7})")), "the slots of a sublayer are missing @ clipboard, layer.self");
    EXPECT_EQ(refusal(layer(R"({"self":{"glue":{}}})")), "the sublayer self has no slot \"glue\" @ clipboard, layer.self");
    EXPECT_EQ(refusal(layer(R"({"self":{"adjuster":"eau"}})")),
              "the block of a slot is missing @ clipboard, layer.self.adjuster");
    EXPECT_EQ(refusal(layer(R"({"self":{"adjuster":{"kind":"eeu"}}})")),
              "there is no block \"eeu\" for the slot adjuster @ clipboard, layer.self.adjuster");
    EXPECT_TRUE(QString::fromStdString(refusal(layer(R"({"self":{"adjuster":{"kind":"eau","hidden":-3}}})")))
                    .endsWith(text("@ clipboard, layer.self.adjuster.hidden")));
    EXPECT_EQ(refusal(layer(R"({"self":{"adjuster":{"kind":"eau"}}})")), "it was taken");
}

TEST(LayerClipboard, LayersAreChosenByNumbers) {
    EXPECT_EQ(readLayers(text("0-2, 5"), 6), (std::vector<int>{0, 1, 2, 5}));
    EXPECT_EQ(readLayers(text(" 3 , 1–2 ,3"), 4), (std::vector<int>{1, 2, 3}));
    EXPECT_EQ(layersText({0, 1, 2, 5}), text("0–2, 5"));
    for (const char* words : {"", "x", "4", "2-1", "-1", "1-", "0 1"}) EXPECT_THROW(readLayers(text(words), 4), Error) << words;
}

TEST_F(PasteLayer, CopyAndPasteAreOneUndoStep) {
    page().drafts().open(Json{{"preset", "eau-base"}, {"dims", small()["dims"]}}, text("plain"));
    ASSERT_TRUE(settle());
    draft().apply({"encoder.layers.0.self.adjuster=eau", "encoder.layers.0.ffn.residual=grc"}, text("special"));
    const Json before = draft().document();
    copy("encoder.layers.0.self.scorer");
    const Json read = Json::parse(clipboard().toStdString());
    EXPECT_EQ(read["layer"]["self"]["adjuster"]["kind"], "eau");
    EXPECT_EQ(read["layer"]["ffn"]["residual"]["kind"], "grc");
    EXPECT_TRUE(QGuiApplication::clipboard()->mimeData()->hasFormat(text("text/plain")));
    const int steps = draft().history().count();
    paste("encoder.layers.1.ffn.norm");
    EXPECT_EQ(idAt("encoder.layers.1.self.adjuster"), "eau");
    EXPECT_EQ(idAt("encoder.layers.1.ffn.residual"), "grc");
    EXPECT_EQ(draft().history().count(), steps + 1);
    draft().history().undo();
    EXPECT_EQ(draft().document(), before);
}

TEST_F(PasteLayer, ALayerIsPastedOntoARangeOfAnotherDraft) {
    copy("encoder.layers.1.self.adjuster");
    Json deep = small();
    deep["preset"] = "eau-base";
    deep["dims"]["layers_enc"] = 5;
    page().drafts().open(deep, text("deep"));
    ASSERT_TRUE(settle());
    draft().select(site("encoder.layers.2.self.adjuster"));
    actionNamed(page().editActions(), "pasteLayerOnto").trigger();
    auto* dialog = page().findChild<QInputDialog*>();
    ASSERT_NE(dialog, nullptr);
    EXPECT_EQ(dialog->textValue(), text("2"));
    dialog->setTextValue(text("1-2, 4"));
    dialog->accept();
    ASSERT_TRUE(settle());
    for (int layer = 0; layer < 5; ++layer) {
        const auto path = "encoder.layers." + std::to_string(layer) + ".self.adjuster";
        EXPECT_EQ(idAt(path.c_str()), layer == 0 || layer == 3 ? "none" : "eau") << layer;
    }
    EXPECT_EQ(draft().history().count(), 1);
}

TEST_F(PasteLayer, AForeignClipboardIsRefusedAndNothingChanges) {
    QSignalSpy said(&studio_, &Studio::messageRequested);
    QGuiApplication::clipboard()->setText(text("dear diary"));
    const Json before = draft().document();
    paste("encoder.layers.1.self.adjuster");
    EXPECT_EQ(draft().document(), before);
    ASSERT_EQ(said.size(), 1);
    const auto message = said[0][0].value<MessageStrip::Message>();
    const QString all = message.title + message.text;
    EXPECT_TRUE(all.contains(text("Could not paste the layer: the clipboard holds no layer of a variant")))
        << all.toStdString();
    EXPECT_TRUE(all.contains(text("clipboard")) && all.contains(text("Ctrl+C"))) << all.toStdString();
}

TEST_F(PasteLayer, TheMenuOfALayerCopiesIt) {
    draft().select(std::nullopt);
    EXPECT_FALSE(actionNamed(page().editActions(), "copyLayer").isEnabled());
    DiagramView& view = page().diagram();
    const QRectF frame = view.diagram().frames[1].rect;
    const QPoint place = view.mapFromScene(frame.topLeft() + QPointF(60, 8));
    QContextMenuEvent event(QContextMenuEvent::Mouse, place, view.viewport()->mapToGlobal(place));
    QApplication::sendEvent(view.viewport(), &event);
    ASSERT_TRUE(draft().site()) << "a right click on the head of a layer selects a slot of it";
    EXPECT_EQ(draft().site()->first, 1);
    auto* menu = findNamed<QMenu>(page(), "layerMenu");
    ASSERT_NE(menu, nullptr);
    QGuiApplication::clipboard()->clear();
    menu->actions().front()->trigger();
    EXPECT_TRUE(clipboard().contains(text("heddle.layer/1")));
    menu->close();
}

}  // namespace heddle::ui::test
