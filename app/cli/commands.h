// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/command_line.h"

namespace heddle::app {

// One file per command declares its options, help and action.
void addTrain(CommandBuilder& root);
void addResume(CommandBuilder& root);
void addSweep(CommandBuilder& root);
void addStudy(CommandBuilder& root);
void addFork(CommandBuilder& root);
void addServe(CommandBuilder& root);
void addRuns(CommandBuilder& root);
void addGradients(CommandBuilder& runs);   // a command of `runs`
void addRunsExport(CommandBuilder& runs);  // others
void addRunsNote(CommandBuilder& runs);
void addRunsVerify(CommandBuilder& runs);
void addCompare(CommandBuilder& root);
void addVariants(CommandBuilder& root);
void addBlocks(CommandBuilder& root);
void addSpec(CommandBuilder& root);
void addData(CommandBuilder& root);
void addTokenizer(CommandBuilder& root);
void addVectors(CommandBuilder& root);
void addTranslate(CommandBuilder& root);
void addGenerate(CommandBuilder& root);
void addClassify(CommandBuilder& root);
void addEvaluate(CommandBuilder& root);
void addAverage(CommandBuilder& root);
void addWeights(CommandBuilder& root);
void addInspect(CommandBuilder& root);
void addIntervene(CommandBuilder& root);
void addReproduce(CommandBuilder& root);
void addBench(CommandBuilder& root);
void addVerify(CommandBuilder& root);
void addSetup(CommandBuilder& root);
void addDoctor(CommandBuilder& root);
void addCompletion(CommandBuilder& root);

}  // namespace heddle::app
