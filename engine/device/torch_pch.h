// SPDX-License-Identifier: Apache-2.0
// The precompiled header of heddle_engine: the parts of torch that nearly every file uses. Files that need rarer headers
// (torch/csrc/autograd) include them themselves, since every template in here is instantiated in every file. Only .cpp files of
// blocks, model, train and device include it explicitly, after their own header.
#pragma once

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>
