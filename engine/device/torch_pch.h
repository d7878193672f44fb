// SPDX-License-Identifier: Apache-2.0
// The one precompiled header: what nearly every file of heddle_engine uses of torch. Every template that it mentions is
// instantiated in every file: what one or two files need (torch/csrc/autograd) they include themselves. Not included by hand
// except by .cpp files of blocks, model, train and device, after their own header.
#pragma once

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>
