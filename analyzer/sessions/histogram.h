// SPDX-License-Identifier: GPL-2.0-or-later
// Lives in the room tcp, the leftmost that counts with it.
#pragma once

#include "analyzer/tcp/histogram.h"
