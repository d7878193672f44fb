// SPDX-License-Identifier: Apache-2.0
// Words that were damaged are restored, a new draw every epoch:
//   mlm      15 % chosen: 80 % hidden behind <mask>, 10 % random, 10 % kept; loss of the chosen ones (Devlin et al. 2019, 3.1)
//   denoise  replaced by random words; loss of every word (StarSaber paper, section 4.1)
#include "engine/data/batching/row_batches.h"
#include "engine/device/torch_pch.h"
#include "engine/tasks/task.h"

namespace heddle {
namespace {

constexpr std::uint64_t kEvaluationSeed = 1;

class MaskedLanguageTask final : public Task {
public:
    /// The tokens that the loss counts.
    enum class Scored { Chosen, All };

    MaskedLanguageTask(const RunSpec& spec, const RunData& data, Scored scored) {
        const Tokenizer& tokenizer = *data.sourceTokenizer;
        corruption_.spec = spec.data.corrupt;
        corruption_.everyPosition = scored == Scored::All;
        corruption_.maskId = tokenizer.maskId();
        corruption_.words = tokenizer.size();
        corruption_.firstWord = tokenizer.specials();
        corruption_.seed = spec.seed;
        corruption_.documents = documentsOf(spec.data);
    }

    Batch makeBatch(const EncodedCorpus& corpus, const std::vector<std::int64_t>& indices, std::int64_t epoch) const override {
        return makeCorruptBatch(corpus, indices, epoch, corruption_);
    }

    /// The seed is a constant: an example's draw depends on its number and its words.
    Batch makeEvaluationBatch(const EncodedCorpus& corpus, const std::vector<std::int64_t>& indices) const override {
        Corruption ofData = corruption_;
        ofData.seed = kEvaluationSeed;
        return makeCorruptBatch(corpus, indices, 0, ofData);
    }

    at::Tensor headInput(const Model& model, const DeviceBatch& batch, const Forward& f) const override {
        return rowsAtPositions(encodeBatch(model, batch, f), batch);
    }

    std::string lossSignature(double smoothing) const override {
        return "ce:nats|smoothing:" + canonicalJson(smoothing) + "|per:" + unit();
    }
    std::string accuracySignature() const override { return "per:" + unit(); }
    std::string drawSignature() const override { return "|masks:of-data"; }

private:
    std::string unit() const { return corruption_.everyPosition ? "token" : "masked-token"; }
    Corruption corruption_;
};

}  // namespace

std::unique_ptr<Task> makeMaskedLanguageTask(const RunSpec& spec, const RunData& data) {
    return std::make_unique<MaskedLanguageTask>(spec, data, MaskedLanguageTask::Scored::Chosen);
}

std::unique_ptr<Task> makeDenoisingTask(const RunSpec& spec, const RunData& data) {
    return std::make_unique<MaskedLanguageTask>(spec, data, MaskedLanguageTask::Scored::All);
}

}  // namespace heddle
