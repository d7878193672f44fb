// SPDX-License-Identifier: GPL-3.0-or-later
// A Compose page with its own settings and a RunControl that records its calls.
#pragma once

#include "storage/run_store.h"
#include "tests/ui/support/offscreen.h"
#include "ui/pages/compose/compose_page.h"
#include "ui/pages/compose/draft_actions.h"
#include "ui/pages/compose/draft_diagram.h"
#include "ui/pages/compose/panels/part_inspector.h"
#include "ui/theme/theme.h"

#include <QFile>
#include <QLabel>
#include <QSettings>
#include <QTemporaryDir>

#include <gmock/gmock.h>

#include <mutex>

namespace heddle::ui::test {

class RememberingControl : public RunControl {
public:
    std::string submit(const RunSpec& spec, const std::string&) override {
        const std::lock_guard lock(mutex_);
        specs_.push_back(spec);
        return "run" + std::to_string(specs_.size());
    }
    void resume(const std::string&) override {}
    void command(const std::string&, RunVerb, const std::string&) override {}
    /// Records every call except the colours of runs.
    void edit(const Edit& edit) override {
        const auto* item = std::get_if<PutItem>(&edit);
        const std::lock_guard lock(mutex_);
        if (!item || item->kind != "colour") edits_.push_back(edit);
    }
    void ask(const std::string&, const Json&, std::function<void(bool, const Json&)>) override {}

    std::vector<RunSpec> specs() {
        const std::lock_guard lock(mutex_);
        return specs_;
    }
    std::vector<Edit> edits() {
        const std::lock_guard lock(mutex_);
        return edits_;
    }

private:
    std::mutex mutex_;
    std::vector<RunSpec> specs_;
    std::vector<Edit> edits_;
};

class ComposeTest : public testing::Test {
protected:
    ComposeTest() : settings_(folder_.filePath(QStringLiteral("settings.ini")), QSettings::IniFormat) {}

    static void save(const ComposePage& page, QSettings& settings) {
        page.saveSession(settings);
        page.saveDocuments(settings);
    }
    ComposePage& page() {
        if (!page_) page_ = std::make_unique<ComposePage>(studio_);
        return *page_;
    }
    VariantDraft& draft() { return page().draft(); }
    void show(const QSize& size = {1376, 852}) {
        page().resize(size);
        page().show();
        page().setShown(true);
    }
    ChoiceRow* choice(const char* name) {
        for (auto* row : page().findChildren<ChoiceRow*>())
            if (row->isVisibleTo(&page()) && row->accessibleName().startsWith(text(name))) return row;
        return nullptr;
    }
    std::string databaseFile() const { return folder_.filePath(text("runs.heddle")).toStdString(); }
    /// The database that openDatabase() opens, for writing.
    std::unique_ptr<storage::RunStore> openStore() const { return storage::RunStore::open(databaseFile(), {"test", 0}); }
    /// Opens a new database in the window; control_ still receives runs and variants.
    void openDatabase() {
        const QString file = QString::fromStdString(databaseFile());
        if (!QFile::exists(file)) openStore();
        studio_.open(file);
        ASSERT_TRUE(waitUntil([this] { return studio_.databases().current() != nullptr; }));
    }
    static storage::RunRecord completedRun(const std::string& id, const std::string& name, const std::string& spec) {
        storage::RunRecord run;
        run.id = id;
        run.name = name;
        run.state = "completed";
        run.spec = spec;
        return run;
    }
    /// A figure above the diagram, or its note: "stepValue", "memoryNote".
    QString total(const char* name) { return page().findChild<QLabel*>(text(name))->text(); }
    bool settle() {
        return waitUntil([this] { return page().isSettled(); });
    }
    static Json small() {
        return Json{{"preset", "eau-full"},
                    {"dims", {{"d", 64}, {"f", 256}, {"heads", 4}, {"layers_enc", 2}, {"layers_dec", 2}}}};
    }

    QTemporaryDir folder_;
    QSettings settings_;
    RememberingControl control_;
    Studio studio_{[this](const QString&) { return &control_; }, settings_};
    std::unique_ptr<ComposePage> page_;
};

}  // namespace heddle::ui::test
