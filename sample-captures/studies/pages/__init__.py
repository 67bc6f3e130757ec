# SPDX-License-Identifier: GPL-2.0-or-later
"""How results are shown: figures, topology pictures, pages, the index."""
