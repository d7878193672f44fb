// SPDX-License-Identifier: Apache-2.0
// The one precompiled header: everything of torch that files of heddle_engine use. Not included by hand except by .cpp files of
// blocks, model, train and device, after their own header.
#pragma once

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/csrc/autograd/grad_mode.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>
