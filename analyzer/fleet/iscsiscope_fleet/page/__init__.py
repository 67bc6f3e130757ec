# SPDX-License-Identifier: GPL-2.0-or-later
"""One HTML page of the fleet."""
