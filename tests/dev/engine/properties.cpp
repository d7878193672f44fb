// SPDX-License-Identifier: Apache-2.0
#include "tests/dev/engine/properties.h"

#include "engine/verify/checks.h"

namespace heddle::verify {

const std::vector<Property>& properties() {
    static const std::vector<Property> kProperties{{"eau_bound", checkEauBound},
                                                   {"grc_limits", checkGrcLimits},
                                                   {"zero_gate", checkZeroGate},
                                                   {"sliced_gate", checkSlicedGate},
                                                   {"causality", checkCausality},
                                                   {"padding", checkPadding},
                                                   {"direction", checkDirectionAlone},
                                                   {"fixed_point", checkFixedPointIsUnique},
                                                   {"accumulated_scores", checkAccumulatedScores},
                                                   {"first_gate", checkFirstGateLearnsNothing},
                                                   {"one_iteration", checkOneIterationIsOneLayer},
                                                   {"zero_alpha", checkZeroAlphaIsIdentity},
                                                   {"shared_layers", checkSharedLayersCountOnce},
                                                   {"step_by_step", checkStepByStep},
                                                   {"selector", checkSelector},
                                                   {"chain", checkChainIsRecurrence},
                                                   {"fixed_point_gradients", checkFixedPointGradients},
                                                   {"directions", checkDirections},
                                                   {"pooling", checkPooling},
                                                   {"saving", checkSavingLosesNothing},
                                                   {"presets", checkPresetsLearn},
                                                   {"training_path", checkTrainingPath},
                                                   {"trees", checkTrees},
                                                   {"memory", checkMemory}};
    return kProperties;
}

}  // namespace heddle::verify
