// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/model/mixer.h"

#include <memory>
#include <string>

namespace heddle {

/// Attention as every paper of the collection composes it: scores, mask last, softmax, dropout, values. The attention weights
/// pass the taps as "<sublayer path>.weight".
class Attention final : public Mixer {
public:
    enum class Keys { Self, Memory };
    Attention(std::string path, Keys keys, std::unique_ptr<Scorer> scorer, std::unique_ptr<Value> value,
              std::shared_ptr<const Dropout> dropout);

    at::Tensor mix(const at::Tensor& u_BSD, const Adjuster* inner, const MixContext& context, const Forward& f) const override;

private:
    struct Inputs;
    at::Tensor weights(const Inputs& in, const Forward& f) const;
    at::Tensor mixByReference(const Inputs& in, const Adjuster* inner, const Forward& f) const;
    at::Tensor mixFused(const Inputs& in, const Adjuster* inner, const Forward& f) const;
    bool mustUseReference(const Forward& f) const;

    std::string path_;
    Keys keys_;
    std::unique_ptr<Scorer> scorer_;
    std::unique_ptr<Value> value_;
    std::shared_ptr<const Dropout> dropout_;
};

}  // namespace heddle
