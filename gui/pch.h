// SPDX-License-Identifier: GPL-2.0-or-later
// Compiled once for all views.
#pragma once
#include <QtWidgets>
#include <qcustomplot.h>
