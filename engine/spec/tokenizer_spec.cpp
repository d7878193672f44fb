// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/run_fields.h"

namespace heddle {

TokenizerSpec TokenizerSpec::forTarget() const {
    TokenizerSpec spec = *this;
    spec.target = Json::object();
    if (target.contains("kind")) spec.vocab = spec.file = "";
    visitTokenizerFields(spec, [&](const char* pointer, auto& member) {
        if (const Json::json_pointer key(pointer); target.contains(key)) target.at(key).get_to(member);
    });
    return spec;
}

}  // namespace heddle
