// SPDX-License-Identifier: Apache-2.0
#include "app/launch/process_environment.h"
#include "engine/base/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <string>

namespace heddle::app {
namespace {

using testing::AllOf;
using testing::HasSubstr;

using Environment = std::map<std::string, std::string>;

ProcessPlace placeIn(const Environment& environment, const PlaceOptions& options = {}) {
    return placeOf(options, [&](const std::string& name) {
        const auto found = environment.find(name);
        return found == environment.end() ? "" : found->second;
    });
}

std::string whyRefused(const Environment& environment, const PlaceOptions& options = {}) {
    try {
        placeIn(environment, options);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::Usage);
        return error.what();
    }
    return "";
}

const Environment kTorchrun{{"RANK", "5"},         {"WORLD_SIZE", "8"},     {"LOCAL_RANK", "1"}, {"LOCAL_WORLD_SIZE", "4"},
                            {"MASTER_ADDR", "n1"}, {"MASTER_PORT", "29400"}};
const Environment kSlurm{{"SLURM_JOB_ID", "1234567"},
                         {"SLURM_STEP_ID", "0"},
                         {"SLURM_STEP_NUM_TASKS", "7"},
                         {"SLURM_PROCID", "6"},
                         {"SLURM_LOCALID", "0"},
                         {"SLURM_NODEID", "3"},
                         {"SLURM_STEP_TASKS_PER_NODE", "2(x3),1"},
                         {"SLURM_STEP_NODELIST", "gpu[03-05,9].x"}};

TEST(ProcessEnvironment, AProcessWithoutVariablesIsAlone) {
    EXPECT_TRUE(placeIn({}).isAlone());
    EXPECT_TRUE(placeIn({{"RANK", "0"}, {"WORLD_SIZE", "1"}}).isAlone());
    EXPECT_TRUE(placeIn({{"RANK", "3"}}).isAlone()) << "of another program";
}

TEST(ProcessEnvironment, TorchrunSaysThePlace) {
    const ProcessPlace place = placeIn(kTorchrun);
    EXPECT_EQ(place.rank, 5);
    EXPECT_EQ(place.size, 8);
    EXPECT_EQ(place.localRank, 1);
    EXPECT_EQ(place.localSize, 4);
    EXPECT_EQ(place.address, "n1");
    EXPECT_EQ(place.port, 29400);
}

TEST(ProcessEnvironment, SlurmSaysThePlaceOfAStepButNotOfABatchScript) {
    const ProcessPlace place = placeIn(kSlurm);
    EXPECT_EQ(place.rank, 6);
    EXPECT_EQ(place.size, 7);
    EXPECT_EQ(place.localRank, 0);
    EXPECT_EQ(place.localSize, 1) << "the fourth node";
    EXPECT_EQ(place.address, "gpu03.x");
    EXPECT_EQ(place.port, 15000 + 4567);
    Environment batch = kSlurm;
    batch.erase("SLURM_STEP_ID");
    EXPECT_TRUE(placeIn(batch).isAlone());
}

TEST(ProcessEnvironment, TorchrunComesBeforeSlurmAndOptionsBeforeBoth) {
    Environment both = kSlurm;
    both.insert(kTorchrun.begin(), kTorchrun.end());
    EXPECT_EQ(placeIn(both).size, 8);
    const ProcessPlace given = placeIn(both, {1, 3, 1, "[::1]:4000"});
    EXPECT_EQ(given.size, 3);
    EXPECT_EQ(given.rank, 1);
    EXPECT_EQ(given.address, "[::1]");
    EXPECT_EQ(given.port, 4000);
}

TEST(ProcessEnvironment, WhatIsMissingOrWrongIsNamed) {
    Environment without = kTorchrun;
    without.erase("MASTER_ADDR");
    EXPECT_THAT(whyRefused(without), HasSubstr("MASTER_ADDR"));
    Environment wrong = kTorchrun;
    wrong["RANK"] = "8";
    EXPECT_THAT(whyRefused(wrong), HasSubstr("no process 8 of 8"));
    wrong["RANK"] = "one";
    EXPECT_THAT(whyRefused(wrong), HasSubstr("RANK"));
    EXPECT_THAT(whyRefused({}, {1, std::nullopt, std::nullopt, ""}), HasSubstr("--world-size"));
    EXPECT_THAT(whyRefused({}, {0, 2, 0, "host:0"}), HasSubstr("not a TCP port"));
    EXPECT_THAT(whyRefused({}, {2, 2, 0, "host:4000"}), HasSubstr("no process 2 of 2"));
}

TEST(ProcessEnvironment, NumbersThatNoGroupHasAreRefusedAndNotCutOff) {
    constexpr std::int64_t kTooLarge = (std::int64_t{1} << 32) + 1;  // 1 in 32 bits
    EXPECT_THAT(whyRefused({}, {kTooLarge, 2, 0, "host:4000"}), AllOf(HasSubstr("4294967297"), HasSubstr("(--rank)")));
    EXPECT_THAT(whyRefused({}, {1, kTooLarge + 1, 0, "host:4000"}), HasSubstr("(--world-size)"));
    EXPECT_THAT(whyRefused({}, {1, 2, kTooLarge, "host:4000"}), HasSubstr("(--local-rank)"));
    EXPECT_THAT(whyRefused({}, {1, 2, -1, "host:4000"}), AllOf(HasSubstr("-1"), HasSubstr("(--local-rank)")));
    for (const auto& [name, good] : kTorchrun) {
        if (name == "MASTER_ADDR") continue;
        for (const char* bad : {"4294967297", "-1", "1.5", "1x", "99999999999999999999"}) {
            Environment wrong = kTorchrun;
            wrong[name] = bad;
            EXPECT_THAT(whyRefused(wrong), HasSubstr("(" + name + ")")) << bad;
        }
    }
    for (const char* name : {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID", "SLURM_LOCALID", "SLURM_NODEID", "SLURM_JOB_ID",
                             "SLURM_STEP_TASKS_PER_NODE"}) {
        Environment wrong = kSlurm;
        wrong[name] = "2(x";
        EXPECT_THAT(whyRefused(wrong), HasSubstr(name));
    }
}

TEST(ProcessEnvironment, ThePatienceIsGivenInSeconds) {
    Environment patient = kTorchrun;
    patient["HEDDLE_PROCESS_PATIENCE"] = "7";
    EXPECT_EQ(placeIn(patient).patience, std::chrono::seconds(7));
    for (const char* bad : {"0", "-1", "86401", "soon"}) {
        patient["HEDDLE_PROCESS_PATIENCE"] = bad;
        EXPECT_THAT(whyRefused(patient), HasSubstr("HEDDLE_PROCESS_PATIENCE")) << bad;
    }
    EXPECT_TRUE(placeIn({{"HEDDLE_PROCESS_PATIENCE", "0"}}).isAlone()) << "a process that is alone waits for nobody";
}

TEST(ProcessEnvironment, HostsOfSlurmAreRead) {
    EXPECT_EQ(firstHost("n1"), "n1");
    EXPECT_EQ(firstHost("n1,n2"), "n1");
    EXPECT_EQ(firstHost("n[07-09],m1"), "n07");
    EXPECT_EQ(firstHost("n[7,9]"), "n7");
    EXPECT_EQ(firstHost("n["), "");
    EXPECT_EQ(tasksOnNode("2(x3),1", 2), 2);
    EXPECT_EQ(tasksOnNode("2(x3),1", 3), 1);
    EXPECT_THROW(tasksOnNode("2(x3),1", 4), Error) << "there is no fifth node";
}

}  // namespace
}  // namespace heddle::app
