# SPDX-License-Identifier: GPL-2.0-or-later
"""The papers' studies: each runs scenarios, measures the captures with the analyzer and judges the claims."""
