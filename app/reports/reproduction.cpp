// SPDX-License-Identifier: Apache-2.0
#include "app/reports/reproduction.h"

#include "app/study/planned_runs.h"
#include "engine/base/json.h"
#include "engine/base/suggestion.h"
#include "engine/data/readers/file_content.h"
#include "engine/spec/catalogue.h"
#include "engine/spec/field_schema.h"
#include "engine/spec/run_spec.h"
#include "storage/run_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace heddle::app {
namespace {

namespace fs = std::filesystem;
using State = ReproductionItem::State;

std::string textAt(const Json& document, const Json::json_pointer& at) {
    return document.contains(at) && document.at(at).is_string() ? document.at(at).get<std::string>() : "";
}

/// What a run trains, apart from its files: equivalent runs are equal in it.
Json workOf(Json document) {
    using Role = FieldSchema::Role;
    if (const Json::json_pointer start("/train/start"); document.contains(start)) document.at(start).erase("weights_sha256");
    return withoutMarked(std::move(document),
                         {Role::Label, Role::OwnBits, Role::DataFile, Role::TokenizerFile, Role::Checkpoint});
}

/// Whether both have the same data, word vectors and tokenizers, at whatever place. Of checkpoints their runs are compared.
bool haveSameFiles(const Json& a, const Json& b) {
    return std::all_of(markedSettings().begin(), markedSettings().end(), [&](const MarkedSetting& setting) {
        const FieldSchema& field = *setting.field;
        return !namesFile(field) || field.role == FieldSchema::Role::Checkpoint ||
               haveSameContent(field.role, textAt(a, setting.pointer), textAt(b, setting.pointer));
    });
}

/// Whether a run belongs to any recipe, since tables share equal runs.
bool belongsToRecipe(const storage::RunRecord& run) {
    return std::any_of(run.tags.begin(), run.tags.end(), [](const auto& tag) { return tag.starts_with("reproduce:"); });
}

/// The best checkpoint, else the last; an empty folder if there is none.
storage::CheckpointRecord bestCheckpoint(storage::RunQuery& query, const std::string& run) {
    const auto checkpoints = query.checkpoints(run);
    for (const char* kind : {"best", "last", "step"}) {
        const auto newest =
            std::find_if(checkpoints.rbegin(), checkpoints.rend(), [&](const auto& one) { return one.kind == kind; });
        if (newest != checkpoints.rend()) return *newest;
    }
    return {};
}

/// Finished runs come first, then newer ones.
bool isBetterMatch(const storage::RunRecord& a, const storage::RunRecord& b) {
    const auto done = [](const auto& run) { return run.state == name(RunState::Completed); };
    return done(a) != done(b) ? done(a) : a.created > b.created;
}

}  // namespace

std::string_view name(State state) {
    switch (state) {
    case State::NoData: return "no data";
    case State::Waiting: return "waiting";
    case State::New: return "to run";
    case State::Unfinished: return "unfinished";
    case State::Training: return "in work";
    case State::Done: return "done";
    case State::Diverged: return "diverged";
    }
    return "";
}

Reproduction::Reproduction(Recipe recipe, ReproductionRequest request)
    : recipe_(std::move(recipe)), request_(std::move(request)) {
    if (isQuick() && !recipe_.quick)
        throw Error(ErrorCode::Usage, "the recipe has no quick version", recipe_.id, "remove --quick");
    plan();
}

std::vector<std::uint64_t> Reproduction::seeds() const {
    std::vector<std::uint64_t> seeds;
    const auto count = static_cast<std::uint64_t>(request_.seeds.value_or(scale().seeds));
    for (std::uint64_t i = 0; i < count; ++i) seeds.push_back(recipe_.firstSeed + i);
    return seeds;
}

std::string Reproduction::tag() const { return "reproduce:" + recipe_.id + (isQuick() ? ":quick" : ""); }

RunLabels Reproduction::labels() const { return {reproductionGroup(recipe_, request_.scale), {tag()}}; }

/// --only names a row or a run, or a prefix of one; runs that it starts from are included.
bool Reproduction::isChosen(const RecipeRun& run) const {
    const std::string& only = request_.only;
    return only.empty() || run.row == only || run.name == only || run.row.starts_with(only) || run.name.starts_with(only);
}

bool Reproduction::isLeftOut(const RecipeRun& run) const {
    return !recipe_.includes(request_.scale, run) || (recipe_.needsTraining(run) && itemsOf(run).empty()) || !isChosen(run);
}

void Reproduction::plan() {
    std::set<std::string> wanted, files;
    std::for_each(recipe_.runs.rbegin(), recipe_.runs.rend(), [&](const RecipeRun& run) {
        const bool isStep = run.row.empty();  // an intermediate run, included only if another run needs it
        const bool chosen = !isStep && isChosen(run) && recipe_.includes(request_.scale, run);
        if (!chosen && !wanted.contains(run.name)) return;
        wanted.insert(run.name);
        const RecipeNeeds needs = needsOf(recipe_, run, request_.scale);
        wanted.insert(needs.runs.begin(), needs.runs.end());
        files.insert(needs.files.begin(), needs.files.end());
    });
    if (wanted.empty() && !recipe_.runs.empty()) {
        std::vector<std::string> known;
        for (const auto& run : recipe_.runs)
            if (!run.row.empty() && recipe_.includes(request_.scale, run)) known.push_back(run.name);
        throw Error(ErrorCode::Usage,
                    fmt::format("no row \"{}\" is trained{}", request_.only, isQuick() ? " in the quick version" : ""),
                    "--only", suggestion(request_.only, known));
    }
    for (const auto& data : recipe_.data) {
        std::vector<std::string> wantedFiles;
        for (const auto& [file, names] : data.files)
            if (files.contains(data.id + ":" + file)) wantedFiles.push_back(file);
        locate(data, wantedFiles);
    }
    for (const std::uint64_t seed : seeds())
        for (const auto& run : recipe_.runs) {
            if (!wanted.contains(run.name) || !recipe_.needsTraining(run)) continue;
            const RecipeNeeds needs = needsOf(recipe_, run, request_.scale);
            ReproductionItem item{&run, seed, State::New, "", "", {}, needs.runs.empty() ? "" : needs.runs.front(), ""};
            if (!needs.runs.empty()) item.state = State::Waiting;
            for (const auto& file : needs.files)
                if (pathOf(file).empty()) item.missing.push_back(file);
            if (!item.missing.empty()) item.state = State::NoData;
            if (seed == recipe_.firstSeed)
                RunSpec::parse(documentOf(run, seed), builtinCatalogue());  // reports invalid specs before anything runs
            items_.push_back(std::move(item));
        }
}

/// Takes all files of a publisher from one folder, the first one with the most of them.
void Reproduction::locate(const RecipeData& data, const std::vector<std::string>& files) {
    std::map<std::string, std::string> best;
    std::string from = data.folders.empty() ? "." : data.folders.front();
    for (const auto& folder : data.folders) {
        std::map<std::string, std::string> found;
        for (const auto& file : files)
            for (const auto& name : data.files.at(file)) {
                const auto path = fs::absolute(fs::path(request_.dataFolder) / folder / name).lexically_normal();
                if (!fs::is_regular_file(path)) continue;
                found[file] = path.string();
                break;
            }
        if (found.size() <= best.size()) continue;
        best = std::move(found);
        from = folder;
    }
    for (const auto& file : files) {
        const std::string name = data.id + ":" + file;
        if (best.contains(file))
            paths_[name] = best.at(file);
        else
            missing_.push_back({name, data.files.at(file), from, data.title, data.from});
    }
}

std::vector<std::string> Reproduction::differences() const {
    std::vector<const RecipeRun*> runs;
    for (const auto& run : recipe_.runs)
        if (!isLeftOut(run) || !itemsOf(run).empty()) runs.push_back(&run);
    return differencesOf(recipe_, request_.scale, runs);
}

std::string Reproduction::pathOf(const std::string& file) const {
    const auto found = paths_.find(file);
    return found == paths_.end() ? "" : found->second;
}

const ReproductionItem* Reproduction::itemOf(const std::string& run, std::uint64_t seed) const {
    for (const auto& item : items_)
        if (item.run->name == run && item.seed == seed) return &item;
    return nullptr;
}

std::vector<const ReproductionItem*> Reproduction::itemsOf(const RecipeRun& run) const {
    std::vector<const ReproductionItem*> found;
    for (const auto& item : items_)
        if (item.run == &run) found.push_back(&item);
    return found;
}

/// "checkpoint", "weights" or "folder" of a run that others start from. Missing values are replaced by names, which suffice to
/// check a spec.
std::string Reproduction::partOf(const ReproductionItem* parent, const std::string& kind) const {
    if (!parent) return kind + " of a run";
    const auto found = checkpoints_.find(parent->id);
    if (found == checkpoints_.end()) return kind + " of " + parent->run->name;
    if (kind == "checkpoint") return (fs::path(artifacts_) / found->second.folder).string();
    return kind == "weights" ? found->second.weightsSha256 : (fs::path(artifacts_) / parent->id).string();
}

Json Reproduction::documentOf(const RecipeRun& run, std::uint64_t seed) const {
    const auto substitute = [&](const std::string& kind, const std::string& word) {
        if (isRunReference(kind)) return partOf(itemOf(word, seed), kind);
        const std::string path = pathOf(kind + ":" + word);
        return path.empty() ? fs::absolute(fs::path(request_.dataFolder) / word).string() : path;
    };
    Json document = expandRun(recipe_, run, request_.scale, substitute);
    document["seed"] = seed;
    document["name"] = reproducedName(recipe_, run, request_.scale, seeds().size() > 1 ? std::optional(seed) : std::nullopt);
    if (!request_.device.empty()) document["train"]["device"] = request_.device;
    return document;
}

RunSpec Reproduction::specOf(const ReproductionItem& item) const {
    return RunSpec::parse(documentOf(*item.run, item.seed), builtinCatalogue());
}

bool Reproduction::isSameRun(const RunSpec& wanted, const ReproductionItem& item, const storage::RunRecord& record) const {
    if (record.seed != item.seed || record.trashed > 0) return false;
    const Json stored = parseJson(record.spec, "run " + record.id), own = wanted.toJson();
    if (workOf(stored) != workOf(own)) return false;
    const Json::json_pointer checkpoint("/train/start/checkpoint");
    for (const auto& parent : needsOf(recipe_, *item.run, request_.scale).runs)
        if (!textAt(own, checkpoint).empty() &&
            textAt(stored, checkpoint).find(itemOf(parent, item.seed)->id) == std::string::npos)
            return false;
    return haveSameFiles(stored, own);
}

void Reproduction::find(ReproductionItem& item, storage::RunQuery& query, const std::vector<storage::RunRecord>& tagged) {
    if (item.state == State::NoData) return;
    item.id.clear();
    item.reason.clear();
    item.waitsFor.clear();
    for (const auto& parent : needsOf(recipe_, *item.run, request_.scale).runs)
        if (const auto* other = itemOf(parent, item.seed); !other || other->state != State::Done) {
            item.state = State::Waiting;
            item.waitsFor = parent;
            return;
        }
    const RunSpec wanted = specOf(item);
    item.state = State::New;
    for (const auto& record : tagged) {
        if (!isSameRun(wanted, item, record)) continue;
        item.id = record.id;
        item.reason = record.reason;
        if (record.state == name(RunState::Completed))
            item.state = State::Done;
        else if (record.state == name(RunState::Failed) && hasDiverged(query, record.id))
            item.state = State::Diverged;
        else
            item.state = isActive(record.state) ? State::Training : State::Unfinished;
        return;
    }
}

void Reproduction::refresh(storage::RunQuery& query, const std::string& database) {
    artifacts_ = fs::absolute(storage::artifactFolder(database)).lexically_normal().string();
    auto tagged = query.runs();
    std::erase_if(tagged, [&](const auto& run) { return !belongsToRecipe(run) || run.intervened >= 0; });
    std::sort(tagged.begin(), tagged.end(), isBetterMatch);
    const bool owned = !storage::currentOwner(database).empty();
    for (auto& item : items_) {
        find(item, query, tagged);
        if (item.state == State::Training && !owned) item.state = State::Unfinished;  // its process has ended
        if (item.state != State::Done) continue;
        if (auto best = bestCheckpoint(query, item.id); !best.folder.empty()) checkpoints_[item.id] = std::move(best);
    }
}

std::optional<ReproductionItem> Reproduction::next() {
    for (std::size_t i = 0; i < items_.size(); ++i) {
        const auto state = items_[i].state;
        if ((state == State::New || state == State::Unfinished) && begun_.insert(i).second) return items_[i];
    }
    return std::nullopt;
}

}  // namespace heddle::app
