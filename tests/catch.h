// SPDX-License-Identifier: GPL-2.0-or-later
// Catch2 2.x (Debian 12) or 3.x: include this instead of either.
#pragma once
#ifdef ISCSISCOPE_CATCH2_V3
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif
