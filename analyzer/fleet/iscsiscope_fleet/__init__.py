# SPDX-License-Identifier: GPL-2.0-or-later
"""iscsiscope over thousands of captures: Dask runs the program, Parquet holds its tables, DuckDB answers questions."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("iscsiscope-fleet")
except PackageNotFoundError:  # started from the source tree
    __version__ = "0"
