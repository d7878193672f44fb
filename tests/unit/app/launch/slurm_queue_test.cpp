// SPDX-License-Identifier: Apache-2.0
#include "app/launch/slurm_queue.h"

#include "engine/base/error.h"
#include "engine/base/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::app {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

SlurmQueue queueOfJobs(const char* jobs) {
    return SlurmQueue::parse(parseJson(std::string(R"({"jobs":)") + jobs + "}", "test"));
}

TEST(SlurmQueue, ReadsTheNumbersOfTasks) {
    EXPECT_THAT(taskNumbers("4-5%3"), ElementsAre(4, 5));
    EXPECT_THAT(taskNumbers("1,3,7-9"), ElementsAre(1, 3, 7, 8, 9));
    EXPECT_THAT(taskNumbers("2-10:4%1"), ElementsAre(2, 6, 10));
    EXPECT_THAT(taskNumbers(""), IsEmpty());
    EXPECT_THROW(taskNumbers("1-x"), Error);
}

/// As slurm 22.05.8 printed it, shortened.
TEST(SlurmQueue, ReadsWhatSlurm22Prints) {
    const SlurmQueue queue = queueOfJobs(R"([
      {"job_id":2,"array_job_id":1,"array_task_id":1,"array_task_string":"","job_state":"RUNNING","state_reason":"None",
       "name":"heddle-x","nodes":"n1"},
      {"job_id":3,"array_job_id":1,"array_task_id":2,"array_task_string":"","job_state":"FAILED","state_reason":"NonZeroExitCode",
       "name":"heddle-x","nodes":"n1"},
      {"job_id":1,"array_job_id":1,"array_task_id":null,"array_task_string":"4-5%3","job_state":"PENDING",
       "state_reason":"JobArrayTaskLimit","name":"heddle-x","nodes":""},
      {"job_id":9,"array_job_id":0,"array_task_id":null,"array_task_string":"","job_state":"RUNNING","name":"other"}])");
    EXPECT_EQ(queue.jobs.at("heddle-x"), 1);
    EXPECT_EQ(queue.stateOf({1, 1}).life, SlurmLife::Running);
    EXPECT_EQ(queue.stateOf({1, 1}).node, "n1");
    EXPECT_EQ(queue.stateOf({1, 2}).life, SlurmLife::Ended);
    EXPECT_EQ(queue.stateOf({1, 4}).life, SlurmLife::Waiting);
    EXPECT_EQ(queue.stateOf({1, 5}).reason, "JobArrayTaskLimit");
    EXPECT_EQ(queue.stateOf({1, 6}).life, SlurmLife::Ended) << "Slurm forgets what ended some minutes ago";
}

/// Numbers are objects and states are lists since Slurm 23.
TEST(SlurmQueue, ReadsWhatLaterVersionsPrint) {
    const SlurmQueue queue = queueOfJobs(R"([
      {"array_job_id":{"set":true,"infinite":false,"number":7},"array_task_id":{"set":true,"infinite":false,"number":3},
       "array_task_string":"","job_state":["COMPLETING","FAILED"],"state_reason":"None","name":"a","nodes":"n2"},
      {"array_job_id":{"set":true,"infinite":false,"number":7},"array_task_id":{"set":false,"infinite":false,"number":0},
       "array_task_string":"1,5,9,...","job_state":["PENDING"],"state_reason":"Priority","name":"a","nodes":""}])");
    EXPECT_EQ(queue.stateOf({7, 3}).life, SlurmLife::Running);
    EXPECT_EQ(queue.stateOf({7, 500}).life, SlurmLife::Waiting) << "the list of tasks was cut";
    EXPECT_THROW(SlurmQueue::parse(Json::array()), Error);
}

TEST(SlurmQueue, TellsTheLastStateOfAJob) {
    EXPECT_EQ(lastStateIn("JobId=3 ArrayJobId=1\n   JobState=NODE_FAIL Reason=NodeDown Dependency=(null)\n"),
              "NODE_FAIL, NodeDown");
    EXPECT_EQ(lastStateIn("   JobState=COMPLETED Reason=None Dependency=(null)\n"), "COMPLETED");
    EXPECT_EQ(lastStateIn("slurm_load_jobs error: Invalid job id specified\n"), "");
}

}  // namespace
}  // namespace heddle::app
