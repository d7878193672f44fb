// SPDX-License-Identifier: Apache-2.0
#include "app/session/host/run_session.h"

#include "app/session/process/engine_loader.h"
#include "app/session/process/errors.h"
#include "app/session/process/paths.h"
#include "app/session/recorder/ownership.h"
#include "app/session/runs/checkpoint_folders.h"
#include "app/session/runs/chosen_checkpoint.h"
#include "app/session/runs/find_run.h"
#include "app/session/runs/queue.h"
#include "app/session/runs/recorded_interventions.h"
#include "app/session/runs/recorded_precision.h"
#include "engine/base/contains.h"
#include "engine/base/device_lost.h"
#include "engine/base/files.h"
#include "engine/base/json.h"
#include "engine/base/links.h"
#include "engine/spec/data_files.h"
#include "engine/spec/task_kinds.h"
#include "storage/owner.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace heddle::app {
namespace {

/// Maximum wait for an unwritable disk when closing.
constexpr std::chrono::seconds kDiskTimeout{5};
/// Maximum time from the commit of a final state to the end of the attempt's bookkeeping.
constexpr std::chrono::seconds kReleaseTimeout{2};

std::string deviceOf(const RunSpec& spec, const std::function<std::shared_ptr<Engine>()>& engine) {
    const std::string& requested = spec.train.device;
    if (requested == "cuda") return "cuda:0";
    if (requested != "auto") return requested;
    for (const auto& device : engine()->devices())
        if (device.id.rfind("cuda", 0) == 0) return device.id;
    return "cpu";
}

/// Returns the id of the run whose checkpoint the spec starts from. Empty when the spec starts from no checkpoint of this
/// database.
std::string parentOf(const RunSpec& spec, const std::string& artifacts) {
    if (spec.train.start.checkpoint.empty()) return {};
    const auto inside = std::filesystem::path(spec.train.start.checkpoint).lexically_relative(artifacts);
    const std::string first = inside.empty() ? "" : inside.begin()->string();
    return storage::isRunId(first) ? first : "";
}

}  // namespace

RunSession::RunSession(Options options) : options_(std::move(options)) {
    if (!options_.engine) options_.engine = loadEngine;
    if (options_.cacheFolder.empty()) options_.cacheFolder = defaultCacheFolder();
    auto store = openAsOwner(options_.database, {options_.owner, options_.lockTimeout});
    options_.database = std::filesystem::absolute(options_.database).string();
    artifacts_ = storage::artifactFolder(options_.database);
    for (const auto& waiting : queueOf(storage::RunQuery::open(options_.database)->runs())) leftQueued_.push_back(waiting.id);
    storage::RunStore& requests = *store;
    recorder_ = std::make_unique<Recorder>(
        std::move(store), Recorder::Handlers{[this](const Event& event) { onCommitted(event); }, [this] { onDatabaseLost(); }},
        options_.recorder);
    recorder_->start();
    const auto isLost = [this] { return recorder_->pressure() == EventSink::Pressure::NoDatabase; };
    inbox_ = std::make_unique<InboxReader>(
        requests, InboxReader::Handlers{[this](const storage::InboxRequest& row) { serve(row); }, isLost}, options_.inboxEvery);
}

RunSession::~RunSession() { close(); }

std::string RunSession::close() {
    stopAll("closing");
    for (auto& [device, lane] : lanes_)
        for (std::thread& thread : lane->threads)
            if (thread.joinable()) thread.join();
    inbox_->stop();
    const std::string lost = recorder_->close(kDiskTimeout);
    return lost.empty() ? linkCheckpointFolders() : lost;
}

void RunSession::stopAll(const std::string& reason) {
    {
        const std::lock_guard lock(mutex_);
        closing_ = true;
        for (auto& [run, working] : working_) working->mailbox.put({Command::Kind::Stop, reason, 0, nullptr});
    }
    changed_.notify_all();
}

bool RunSession::stopIfIdle() {
    const std::lock_guard noStart(starting_);
    const std::lock_guard lock(mutex_);
    const bool isIdle = loadNow() == Load{};
    if (isIdle) closing_ = true;
    changed_.notify_all();
    return isIdle;
}

/// `request`: number of the inbox request, answered in the same transaction; 0: none.
std::string RunSession::submit(const RunSpec& given, const RunLabels& labels, std::int64_t request) {
    RunSpec spec = given;
    spec.train.extended.clear();  // of the run whose spec it is, or which it forks
    throwIfNotTrainable(spec);
    const std::string device = deviceOf(spec, options_.engine);
    storage::RunRecord record;
    record.id = storage::newRunId();
    record.name = spec.name;
    record.group = labels.group;
    record.lineage = parentOf(spec, artifacts_);
    record.tags = labels.tags;
    const bool isMarked = contains(record.tags, storage::kSyntheticTag);
    if (isGenerated(spec.data.format) && !isMarked) record.tags.emplace_back(storage::kSyntheticTag);
    record.state = name(RunState::Queued);
    record.spec = canonicalJson(spec.toJson());
    record.variantHash = spec.variant.hash();
    record.seed = spec.seed;
    record.created = record.queued = storage::unixTime();
    const Queueing queueing(*this, record.id);
    recorder_->write([&](Ledger& ledger, storage::RunStore& store) {
        ledger.addRun(store, record);
        if (request != 0) store.answer(request, true, record.id);
    });
    enqueue(record, spec, device);
    return record.id;
}

void RunSession::resume(const std::string& run, const Extension& extension) {
    const Queueing queueing(*this, run);
    const RunState state = committedStateOf(run);
    const auto record = recordOf(run);
    if (record.trashed > 0)
        throw Error(ErrorCode::Usage, "the run is in the trash", run,
                    "restore it first: heddle runs restore " + run + ", or Restore in the studio's Library");
    if (extension.isEmpty()) requireResumable(record);
    const RunSpec spec = extended(readRunSpec(record), record, extension);
    {
        std::unique_lock lock(mutex_);
        // The end of an attempt is committed slightly before its engine thread releases it.
        if (isFinal(state)) changed_.wait_for(lock, kReleaseTimeout, [&] { return !working_.contains(run); });
        const auto waits = [&](const auto& lane) {
            return std::any_of(lane.second->waiting.begin(), lane.second->waiting.end(),
                               [&](const Waiting& waiting) { return waiting.second == run; });
        };
        if (working_.contains(run) || std::any_of(lanes_.begin(), lanes_.end(), waits))
            throw Error(ErrorCode::Usage, fmt::format("the run is {}", name(state)), run, "it does not need to be resumed");
        ended_.erase(run);
    }
    const std::string device = deviceOf(spec, options_.engine);
    recorder_->write([&](Ledger& ledger, storage::RunStore& store) {
        if (!extension.isEmpty()) ledger.setSpec(store, run, canonicalJson(spec.toJson()));
        if (state != RunState::Queued) ledger.changeState(store, run, {RunState::Queued, "resume"});
    });
    enqueue(recordOf(run), spec, device);
}

void RunSession::enqueue(const storage::RunRecord& run, const RunSpec& spec, const std::string& device) {
    const std::lock_guard lock(mutex_);
    if (closing_) return;  // the row stays queued for the next owner
    auto& lane = lanes_[device];
    if (!lane) {
        lane = std::make_unique<Lane>();
        lane->idle = device == "cpu" ? std::max<std::size_t>(options_.jobs, 1) : 1;
        for (std::size_t i = 0; i < lane->idle; ++i) lane->threads.emplace_back([this, &lane = *lane] { work(lane); });
    }
    lane->waiting.emplace(run.queued, run.id);
    settings_[run.id] = {spec.train.deterministic, spec.train.precision == "tf32", spec.train.threads};
    changed_.notify_all();
}

RunSession::Queueing::Queueing(RunSession& session, std::string run) : session_(session), run_(std::move(run)) {
    const std::lock_guard lock(session_.mutex_);
    if (!session_.queueing_.insert(run_).second)
        throw Error(ErrorCode::Usage, "the run is being resumed", run_, "it need not be resumed twice");
}

RunSession::Queueing::~Queueing() {
    const std::lock_guard lock(session_.mutex_);
    session_.queueing_.erase(run_);
}

/// Returns whether the lane's first run can start on an idle thread of it: no running run has other process settings, and no
/// other lane with an idle thread holds an earlier run with other settings, which later runs must not overtake.
bool RunSession::mayStart(const Lane& lane) const {
    if (lane.waiting.empty()) return false;
    const Waiting& first = *lane.waiting.begin();
    const ProcessSettings& wanted = settings_.at(first.second);
    for (const auto& [run, working] : working_)
        if (working->settings != wanted) return false;
    return std::none_of(lanes_.begin(), lanes_.end(), [&](const auto& entry) {
        const Lane& other = *entry.second;
        return other.idle > 0 && !other.waiting.empty() && *other.waiting.begin() < first &&
               settings_.at(other.waiting.begin()->second) != wanted;
    });
}

void RunSession::work(Lane& lane) {
    while (true) {
        std::string run;
        std::shared_ptr<Working> working;
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [&] { return closing_ || mayStart(lane); });
            if (closing_) return;
            run = lane.waiting.extract(lane.waiting.begin()).value().second;
            countCompany();
            working = std::make_shared<Working>();
            working->settings = settings_.extract(run).mapped();
            working_[run] = working;
            --lane.idle;
        }
        changed_.notify_all();  // wakes runs that waited for this one
        const AttemptEnd end = train(run, *working);
        finishAttempt(run, end, *working);
        {
            const std::lock_guard lock(mutex_);
            ++lane.idle;
        }
        changed_.notify_all();
    }
}

RunSession::AttemptEnd RunSession::train(const std::string& run, Working& working) {
    std::optional<AttemptSink> sink;
    AttemptEnd end;
    try {
        const auto record = recordOf(run);
        const RunSpec spec = readRunSpec(record);
        TrainRequest request{run, record.attempts + 1, spec, artifacts_ + "/" + requireRunId(run), options_.cacheFolder, "", "",
                             {}};
        const auto engine = options_.engine();
        AttemptStart start = prepare(record, spec, request);
        start.attempt.torch = engine->torchVersion();
        recorder_->write([&](Ledger& ledger, storage::RunStore& store) { ledger.beginAttempt(store, start); });
        sink.emplace(*recorder_, start.attempt, working.live);
        end.state = engine->train(request, *sink, working.mailbox).state;
    } catch (const DeviceLostError& error) {
        end = {RunState::Failed, error.problem(), error, true};
    } catch (...) {
        const Error error = asError(std::current_exception(), "run " + run);
        end = {RunState::Failed, error.problem(), error, false};
    }
    if (!sink) return end;  // the attempt could not begin; nothing is recorded and the run stays queued

    if (!sink->hasMemoryEvent()) sink->emitNow(measureMemory());
    if (const auto company = companyOf(working)) sink->emitNow(*company);
    if (end.error && !sink->hasFailureEvent())
        sink->emitNow(Failure{static_cast<int>(end.error->code()), end.error->problem(), end.error->where(),
                              "what was recorded and every checkpoint", end.error->next()});
    if (!isAllowed(sink->state(), end.state) && isAllowed(sink->state(), RunState::Stopping))
        sink->emitNow(StateChanged{RunState::Stopping, end.reason});
    if (sink->state() != end.state) sink->emitNow(StateChanged{end.state, end.reason});
    return end;
}

AttemptStart RunSession::prepare(const storage::RunRecord& record, const RunSpec& spec, TrainRequest& request) {
    // Before anything is removed or read there; the database may come from elsewhere.
    if (const auto problem = linkProblem(artifacts_, record.id + "/tokenizer"); !problem.empty())
        throw Error(ErrorCode::InvalidInput, problem, "run " + record.id,
                    "replace the link by the folder itself, or use another database");
    const auto query = storage::RunQuery::open(options_.database);
    const auto checkpoints = query->checkpoints(record.id);
    // The folder of a checkpoint with a damaged record would look like one without row.
    if (query->damages().empty()) sweepRunFolder(artifacts_, record.id, checkpoints);
    createFolderDurably(request.runFolder);

    AttemptStart start;
    auto& attempt = start.attempt;
    attempt.run = record.id;
    attempt.attempt = request.attempt;
    attempt.started = storage::unixTime();
    attempt.device = spec.train.device;
    attempt.host = storage::hostName();
    attempt.program = HEDDLE_VERSION;
    attempt.threads = spec.train.threads;
    if (options_.jobs > 1) attempt.context = Json{{"jobs", options_.jobs}}.dump();  // as asked; see RunsAtOnce
    start.keepLast = spec.train.keepLast;
    start.maxMib = spec.record.maxMib;
    if (request.attempt == 1) return start;

    auto choice = newestVerified(artifacts_, checkpoints);
    start.notes = std::move(choice.skipped);
    if (choice.checkpoint) {
        request.resumeFrom = artifacts_ + "/" + choice.checkpoint->folder;
        request.precision = recordedPrecision(*query, record.id);
        attempt.firstStep = choice.checkpoint->step;
        if (!start.notes.empty())
            start.notes.push_back(fmt::format("resuming from the checkpoint of step {}", attempt.firstStep));
    } else {
        start.notes.emplace_back("no usable checkpoint: starting again at step 0");
    }
    request.interventions = recordedInterventions(*query, record.id, start.notes);
    start.replay = ReplayCheck::load(*query, record.id, request.attempt, attempt.firstStep);
    return start;
}

void RunSession::finishAttempt(const std::string& run, const AttemptEnd& end, const Working& working) {
    // Waits while the disk is full; the run's events are queued and will be written later.
    while (!recorder_->waitCommitted(std::chrono::milliseconds(200))) {
        const std::lock_guard lock(mutex_);
        if (closing_) break;
    }
    std::vector<std::function<void(bool, const Json&)>> unanswered;
    {
        const std::lock_guard lock(mutex_);
        for (const auto question : working.questions)
            if (auto node = questions_.extract(question)) unanswered.push_back(std::move(node.mapped()));
        countCompany();
        working_.erase(run);
        ended_.insert_or_assign(run, end);
    }
    changed_.notify_all();
    for (const auto& callback : unanswered) try {
            callback(false, "the run ended before it could answer");
        } catch (const std::exception&) {  // nobody is left to tell: the asker's own callback failed, or the recorder has ended
        }
}

/// Counts the time until now in the company of every active run. Call with the lock, before a run becomes active or ends.
void RunSession::countCompany() {
    for (auto& [run, working] : working_) working->company.passed(working_.size());
}

/// How many runs were active during the attempt that ends now; nothing where one was and no more could have been.
std::optional<RunsAtOnce> RunSession::companyOf(const Working& working) {
    const std::lock_guard lock(mutex_);
    countCompany();
    const RunsAtOnce told = working.company.told();
    return options_.jobs > 1 || told.most > 1 ? std::optional(told) : std::nullopt;
}

RunSession::Load RunSession::loadNow() const {
    Load load{working_.size(), 0};
    for (const auto& [device, lane] : lanes_) load.waiting += lane->waiting.size();
    return load;
}

RunSession::Load RunSession::load() const {
    const std::lock_guard lock(mutex_);
    return loadNow();
}

std::vector<std::string> RunSession::activeRuns() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> runs;
    for (const auto& [run, working] : working_) runs.push_back(run);
    return runs;
}

std::vector<std::string> RunSession::waiting() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> runs;
    for (const auto& [device, lane] : lanes_)
        for (const auto& [place, run] : lane->waiting) runs.push_back(run);
    return runs;
}

std::optional<RunSession::AttemptEnd> RunSession::ended(const std::string& run) const {
    const std::lock_guard lock(mutex_);
    const auto found = ended_.find(run);
    return found == ended_.end() ? std::nullopt : std::optional(found->second);
}

RunState RunSession::stateOf(const std::string& run) {
    if (const auto state = recorder_->stateOf(run)) return *state;
    return runStateFromName(recordOf(run).state).value_or(RunState::Interrupted);
}

/// The state after committing all events emitted so far.
RunState RunSession::committedStateOf(const std::string& run) {
    recorder_->write([](Ledger&, storage::RunStore&) {});
    return stateOf(run);
}

storage::RunRecord RunSession::recordOf(const std::string& run) {
    auto record = storage::RunQuery::open(options_.database)->run(run);
    if (!record) throw Error(ErrorCode::Usage, "no such run", run, "heddle runs list shows the runs of the database");
    return std::move(*record);
}

}  // namespace heddle::app
