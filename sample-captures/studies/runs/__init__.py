# SPDX-License-Identifier: GPL-2.0-or-later
"""What each study runs and measures, at which points."""
