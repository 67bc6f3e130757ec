# SPDX-License-Identifier: GPL-2.0-or-later
"""The figures and tables of each study."""
