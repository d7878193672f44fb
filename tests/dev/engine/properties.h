// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/verify/verify.h"

namespace heddle::verify {

/// Returns what `heddle-dev verify` checks besides the golden cases, in the order of the specification.
const std::vector<Property>& properties();

// The checks by subject. Each subject has its own file.
void checkEauBound(CaseChecks& checks);           ///< (a) |EAU(x) − x| < 1
void checkGrcLimits(CaseChecks& checks);          ///< (b) b_g = +40 is the plain residual, b_g = −40 cuts the sublayer off
void checkZeroGate(CaseChecks& checks);           ///< (c) a score gate with W = B = 0 is the ungated baseline
void checkSlicedGate(CaseChecks& checks);         ///< (d) slicing a score gate is padding its input with zeros
void checkCausality(CaseChecks& checks);          ///< (e) no token affects earlier positions, except with mask_prev raw
void checkPadding(CaseChecks& checks);            ///< (f) padding does not affect real positions
void checkAccumulatedScores(CaseChecks& checks);  ///< (i) accumulated scores are the sum of the raw scores
void checkFirstGateLearnsNothing(CaseChecks& checks);  ///< (j) the gate of layer 0 gets no gradient
void checkStepByStep(CaseChecks& checks);              ///< (n) step-by-step decoding equals the full forward pass

void checkSelector(CaseChecks& checks);  ///< an estimated mask uses no future and no padding; with all keys it masks nothing

void checkDirectionAlone(CaseChecks& checks);          ///< (g) U = Q ignores the order of the positions, U ≠ Q does not
void checkFixedPointIsUnique(CaseChecks& checks);      ///< (h) it is the same from x and from 0, and without V for every input
void checkOneIterationIsOneLayer(CaseChecks& checks);  ///< (k) max_iter = 1 is eq. 4
void checkZeroAlphaIsIdentity(CaseChecks& checks);     ///< (l) StarSaber and ReZero with α = 0 return their input
void checkSharedLayersCountOnce(CaseChecks& checks);   ///< (m) shared layers count once at every depth
void checkChainIsRecurrence(CaseChecks& checks);       ///< (o) S passes over a chain are eq. 1
void checkFixedPointGradients(CaseChecks& checks);     ///< unrolled, implicit and phantom agree at a contraction

void checkDirections(CaseChecks& checks);  ///< each half of a recurrent network reads in its own direction
void checkPooling(CaseChecks& checks);     ///< a sequence's vector is the same with padding

void checkSavingLosesNothing(CaseChecks& checks);  ///< (A7) description and weights, written and read: the same outputs
void checkPresetsLearn(CaseChecks& checks);        ///< (A8) in every preset every parameter gets a gradient
void checkTrees(CaseChecks& checks);               ///< every preset at its own sizes: the built tree counts as the formulas do
void checkMemory(CaseChecks& checks);              ///< in every preset the predicted memory is what a training step takes

}  // namespace heddle::verify
