// SPDX-License-Identifier: Apache-2.0
// Groups of runs: what differs in nothing but seed, name, tags, device and threads. The only definition: tables, curves,
// colours and the command line ask here which runs are seeds of one experiment, and which of them count.
#pragma once

#include "engine/spec/diff.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace heddle {

/// The key of a run's group: RunSpec::groupHash(). `spec` and `runHash` are as recorded; `dataHashes` is asked only where the
/// spec names a number of threads. Until the data have been read (`runHash` is empty) it is plannedKey(). Of an imported run it
/// is what the user declared: ForeignSpec::groupKey().
std::string groupKey(const std::string& spec, const std::string& runHash,
                     const std::function<std::vector<std::string>()>& dataHashes);

/// What a run will be, as far as its recorded spec tells: without seed, name, device and threads, with the names of its files
/// in place of their contents. Starts with "planned ".
std::string plannedKey(const std::string& spec);

/// The groups of runs that have not read their data yet: each stands with the newest run of the same plan. Of one database.
class PlannedGroups {
public:
    /// A run that has read its data. `created`: Unix time.
    void add(const std::string& planned, const std::string& group, double created);
    /// The group of a run that has not; its plan while no such run has begun.
    std::string of(const std::string& planned) const;

private:
    std::map<std::string, std::pair<double, std::string>> newest_;  ///< by plan: when the run was made, its group
};

/// What decides whether a run of a group counts.
struct GroupMember {
    std::string id;
    std::uint64_t seed = 0;
    double created = 0;       ///< Unix time
    bool completed = false;   ///< else it counts only where no run of the group is completed
    bool intervened = false;  ///< interventions changed its training: it counts only where it is alone
    bool operator==(const GroupMember&) const = default;
};

/// Places of the runs whose values make the group's mean, ascending: of each seed one, the newest completed run.
std::vector<std::size_t> countedRuns(const std::vector<GroupMember>& members);

/// What the names of a group's runs share, without a trailing seed: "full" for "full-s1" and "full-s2". A name that all share
/// as it is; the first name where they share less than half of it. `names` in the order in which the runs were made.
std::string sharedName(const std::vector<std::string>& names);

/// A setting in which a group differs from others.
struct Distinction {
    std::string path;
    Json value;
    std::string content;  ///< SHA-256 of the file that the setting names, where that is what differs
    bool operator==(const Distinction&) const = default;
};

/// For each group the fewest of the first differing settings that set it apart from all the others, training before data before
/// the variant. One document and one set of contents a group. Empty for all where they do not differ.
std::vector<std::vector<Distinction>> setApart(const std::vector<Json>& documents, const std::vector<FileContents>& contents);

/// What a group is named by.
struct GroupToName {
    std::string key;
    std::vector<std::string> names;  ///< of its runs, in the order in which they were made; those without a name are empty
    std::string firstRun;            ///< the id of the first of them
};

/// The settings of a group and the contents of its files, without seed and name.
using GroupSettings = std::function<std::pair<Json, FileContents>(std::size_t group)>;

/// The names of the groups on a page, in their order, all different: what the names of its runs share, with what sets it apart
/// from its namesakes ("base · lr 0.01"). A group whose runs have no name is called by what sets it apart from all the others
/// ("lr 0.01"), by its first run where nothing does. `settingsOf` is asked only for groups that must be set apart.
std::vector<std::string> groupNames(const std::vector<GroupToName>& groups, const GroupSettings& settingsOf);

/// "lr" of "train.lr", "dims.f" of "variant.dims.f".
std::string shortPath(const std::string& path);

}  // namespace heddle
