// SPDX-License-Identifier: Apache-2.0
#include "app/cli/intervention_options.h"

namespace heddle::app {

CommandBuilder& addInterventionOptions(CommandBuilder& command, InterventionOptions& options) {
    return command
        .option(
            "--mute", options.mute, "PATH:HEAD",
            "An attention head (from 0) contributes nothing: its values are mixed with weight 0, so that zeros stand in its "
            "place before the output projection; later layers still read its scores")
        .option("--clamp", options.clamp, "PATH=V",
                "Hold a gate or another exposure at V everywhere (attention weights that are 0 stay 0)")
        .option("--scale", options.scale, "PATH=F", "Multiply it by F")
        .option("--cut-carry", options.cutCarry, "PATH", "A layer's attention reads no scores of earlier layers")
        .option("--identity", options.identity, "PATH",
                "A sublayer adds nothing: its residual connection gives the stream as it is")
        .option("--neutral", options.neutral, "PATH", "A block's parameters get the values that make it as good as absent");
}

CommandBuilder& addAblationOptions(CommandBuilder& command, InterventionOptions& options) {
    return command
        .option(
            "--mean", options.mean, "PATH[:HEAD]",
            "The output of an attention head (PATH:HEAD), a sublayer or a gate is its mean over all positions of the examples "
            "that are measured, for each feature")
        .option("--resample", options.resample, "PATH[:HEAD]",
                "It is that of another example of the batch, position by position");
}

std::vector<Intervention> interventionsOf(const InterventionOptions& options) {
    std::vector<Intervention> all;
    const auto add = [&](const char* kind, const std::vector<std::string>& texts) {
        for (const std::string& text : texts) all.push_back(parseIntervention(kind, text));
    };
    add("mute", options.mute);
    add("mean", options.mean);
    add("resample", options.resample);
    add("clamp", options.clamp);
    add("scale", options.scale);
    add("cut_carry", options.cutCarry);
    add("identity", options.identity);
    add("neutral", options.neutral);
    return all;
}

}  // namespace heddle::app
