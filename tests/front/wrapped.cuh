// SPDX-License-Identifier: MIT
#pragma once
constexpr int WIDE = 128;
