// SPDX-License-Identifier: GPL-2.0-or-later
// The JSON library. It does not withstand too little memory: a value whose construction failed loses what it
// held, its destructor would use a null pointer, and destructors allocate. Functions that make its values are
// therefore noexcept, so that the program ends there (the command line's terminate handler says why, and
// removes unfinished files), and a destructor that finds the invariant broken ends it too. What a report
// writes makes none (json_writer.h).
#pragma once

#include <exception>

#define JSON_ASSERT(condition) ((condition) ? static_cast<void>(0) : std::terminate())
#include <nlohmann/json.hpp>
