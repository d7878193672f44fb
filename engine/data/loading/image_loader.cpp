// SPDX-License-Identifier: Apache-2.0
// Task image: images with labels, as IDX files.
#include "engine/base/error.h"
#include "engine/data/batching/encoded_corpus.h"
#include "engine/data/loading/select.h"
#include "engine/data/loading/task_loaders.h"
#include "engine/data/readers/idx.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_set>

namespace heddle {
namespace {

/// `side`: edge of a patch, so that batches are planned by patches.
EncodedCorpus readImages(const ParallelFiles& files, const std::string& split, std::int64_t side, RunData& data) {
    EncodedCorpus corpus;
    if (files.empty()) return corpus;
    const IdxImages images = readIdxImages(files.source);
    const IdxLabels labels = readIdxLabels(files.target);
    const auto count = static_cast<std::int64_t>(labels.labels.size());
    if (images.count != count)
        throwInvalid(fmt::format("{} images, {} labels", images.count, count),
                     fmt::format("data.{}: {}, {}", split, files.source, files.target),
                     "give the images and the labels of the same set");
    corpus.images = {{}, images.rows, images.columns};
    corpus.images.pixels.reserve(images.pixels.size());
    const std::int64_t patches = std::max<std::int64_t>(1, images.rows / side * (images.columns / side));
    for (std::int64_t i = 0; i < count; ++i) {
        addImage(corpus, images.pixels.data() + i * images.rows * images.columns, patches,
                 labels.labels[static_cast<std::size_t>(i)]);
        if (split == "train") continue;
        corpus.sourceText.push_back(fmt::format("image {}", i));
        corpus.targetText.push_back(fmt::format("{}", labels.labels[static_cast<std::size_t>(i)]));
    }
    for (const std::string& hash : {images.sha256, labels.sha256}) data.dataHashes.push_back(hash);
    return corpus;
}

/// The images with these numbers as a new split; validation and test images get texts to show.
EncodedCorpus pick(const EncodedCorpus& corpus, const std::vector<std::int64_t>& numbers, const std::string& split) {
    const auto& [pixels, height, width] = corpus.images;
    EncodedCorpus picked;
    picked.images = {{}, height, width};
    for (const std::int64_t i : numbers) {
        const auto at = static_cast<std::size_t>(i);
        const std::int64_t label = corpus.labelsAs<ClassLabels>().classes[at];
        addImage(picked, pixels.data() + i * height * width, corpus.sourceBegin[at + 1] - corpus.sourceBegin[at], label);
        if (split == "train") continue;
        picked.sourceText.push_back(fmt::format("image {}", i));
        picked.targetText.push_back(fmt::format("{}", label));
    }
    return picked;
}

std::vector<std::string_view> imagesOf(const EncodedCorpus& corpus) {
    return eachImage(corpus.images.pixels, corpus.images.height * corpus.images.width);
}

/// Warns of validation and test images that are also training images.
void warnOfSharedImages(RunData& data) {
    const std::vector<std::string_view> trained = imagesOf(data.train);
    const std::unordered_set<std::string_view> known(trained.begin(), trained.end());
    const std::pair<const EncodedCorpus*, const char*> others[] = {{&data.valid, "valid"}, {&data.test, "test"}};
    for (const auto& [images, name] : others) {
        const std::vector<std::string_view> pixels = imagesOf(*images);
        const auto seen = std::count_if(pixels.begin(), pixels.end(), [&](auto image) { return known.contains(image); });
        if (seen > 0)
            data.warnings.push_back(
                {name, fmt::format("{}: {} of {} images are also training images", name, seen, pixels.size())});
    }
}

/// Takes data.split's shares out of the training images where no file gives a split, then the first data.limit of the rest.
/// Equal images stay on one side.
void splitAndLimit(const DataSpec& spec, RunData& data) {
    const double valid = data.valid.size() > 0 ? 0 : spec.validShare, test = data.test.size() > 0 ? 0 : spec.testShare;
    if (valid > 0 || test > 0) {
        const Groups groups = groupEqual(imagesOf(data.train));
        const SplitIndices parts = splitByRatio(groups, {valid, test}, spec.generated.seed);
        if (groups.repeated > 0) data.warnings.push_back({"", repeatedWarning(groups, "images")});
        if (valid > 0) data.valid = pick(data.train, parts.valid, "valid");
        if (test > 0) data.test = pick(data.train, parts.test, "test");
        data.train = pick(data.train, parts.train, "train");
        data.notes.push_back(fmt::format("split by data.split: {} training, {} validation, {} test images", data.train.size(),
                                         data.valid.size(), data.test.size()));
    }
    if (spec.limit <= 0 || spec.limit >= data.train.size()) return;
    data.notes.push_back(fmt::format("train: the first {} of {} images are used (data.limit)", spec.limit, data.train.size()));
    data.train = examplesOf(data.train, 0, spec.limit);
}

}  // namespace

RunData loadImageData(const LoadContext& context) {
    const DataSpec& spec = context.spec.data;
    if (spec.format != "idx")
        throwInvalid(fmt::format("unsupported format \"{}\" for task image", spec.format), "data.format", "set it to idx");
    if (spec.train.empty())
        throwInvalid("no training data in the spec", "data.train",
                     "set data.train.source (images) and data.train.target (labels)");
    const ResolvedVariant variant = context.spec.variant.resolve();
    const auto side = variant.globals.at("embed").params.at("size").get<std::int64_t>();
    RunData data;
    data.train = readImages(spec.train, "train", side, data);
    data.valid = readImages(spec.valid, "valid", side, data);
    data.test = readImages(spec.test, "test", side, data);
    splitAndLimit(spec, data);
    warnOfSharedImages(data);
    std::int64_t highest = 0;
    for (EncodedCorpus* split : {&data.train, &data.valid, &data.test})
        for (const std::int64_t label : split->labelsAs<ClassLabels>().classes) highest = std::max(highest, label);
    const std::int64_t outputs = classesOfOutputs(context.spec).value_or(highest + 1);
    if (highest >= outputs)
        throwInvalid(fmt::format("the data have at least {} classes, but the model has {}", highest + 1, outputs),
                     "variant, dims.classes", fmt::format("set dims.classes to from_data, or to {}", highest + 1));
    for (std::int64_t label = 0; label < outputs; ++label) data.classes.push_back(fmt::format("{}", label));
    return data;
}

}  // namespace heddle
