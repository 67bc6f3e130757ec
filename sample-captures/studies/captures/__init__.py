# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures as tables, through the analyzer or segment by segment."""
