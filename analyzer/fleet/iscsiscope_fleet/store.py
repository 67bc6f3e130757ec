# SPDX-License-Identifier: GPL-2.0-or-later
"""The output: files below one folder, on a file system or on an object store that fsspec knows.

A file is complete or absent. On a file system it is written under another name, flushed to the disk and renamed; an
object of a store appears when its upload is complete. Every failure is a StoreError that names the file."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, Any

import fsspec
import pyarrow as pa

from .errors import StoreError

FLUSHES = 8  # at once
UNFINISHED = "unfinished"  # a folder of the output, empty unless a process was killed


def is_remote(url: str) -> bool:
    return "://" in url and not url.startswith("file://")


@contextlib.contextmanager
def _named(action: str, where: str) -> Iterator[None]:
    try:
        yield
    except StoreError:
        raise
    except Exception as error:  # each store of fsspec has exceptions of its own
        raise StoreError(f"cannot {action} {where}: {_reason(error)}") from error


def _reason(error: Exception) -> str:
    return os.strerror(error.errno) if isinstance(error, OSError) and error.errno else str(error) or repr(error)


class Together:
    """See Store.together()."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._written: list[tuple[Path, str]] = []  # under which name it is written, which name it gets

    @contextlib.contextmanager
    def writer(self, name: str) -> Iterator[pa.NativeFile]:
        folder = Path(tempfile.gettempdir() if self._store.remote else self._store.path(UNFINISHED))
        temporary = folder / f"iscsiscope-fleet-{uuid.uuid4().hex}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._written.append((temporary, name))
            with pa.OSFile(str(temporary), "wb") as file:
                yield file
        except OSError as error:  # other exceptions of the block are not of the file
            raise StoreError(f"cannot write {self._store.address(name)}: {_reason(error)}") from error

    def commit(self) -> None:
        if len(self._written) > 1 and not self._store.remote:
            # A disk that is asked for all at once answers them together.
            with ThreadPoolExecutor(min(FLUSHES, len(self._written))) as pool:
                list(pool.map(self._flush, self._written))
        elif not self._store.remote:
            for written in self._written:
                self._flush(written)
        for temporary, name in self._written:
            with _named("write", self._store.address(name)):
                self._put(temporary, self._store.path(name))

    def _flush(self, written: tuple[Path, str]) -> None:
        with _named("write", self._store.address(written[1])), written[0].open("rb") as file:
            os.fsync(file.fileno())

    def _put(self, temporary: Path, path: str) -> None:
        if not self._store.remote:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            temporary.replace(path)
            return
        self._store.fs.makedirs(path.rpartition("/")[0], exist_ok=True)
        with temporary.open("rb") as source, self._store.fs.open(path, "wb") as upload:
            shutil.copyfileobj(source, upload, 1 << 20)

    def discard(self) -> None:
        for temporary, _ in self._written:
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)


class Store:
    """url: a folder, or PROTOCOL://… of fsspec. Nothing is made before the first write."""

    def __init__(self, url: str) -> None:
        self.remote = is_remote(url)
        self.fs: Any = None
        if self.remote:
            with _named("open", url):
                self.fs, self.root = fsspec.core.url_to_fs(url.rstrip("/"))
            self.url = url.rstrip("/")
        else:
            self.root = str(Path(url.removeprefix("file://")).absolute())
            self.url = self.root

    def address(self, name: str) -> str:
        """For DuckDB: a path, or the URL under which it finds the file system of fsspec."""
        return f"{self.url}/{name}"

    def path(self, name: str) -> str:
        return f"{self.root}/{name}" if name else self.root

    def exists(self, name: str) -> bool:
        with _named("read", self.address(name)):
            return bool(self.fs.exists(self.path(name))) if self.remote else Path(self.path(name)).exists()

    def read(self, name: str) -> bytes:
        with _named("read", self.address(name)):
            return bytes(self.fs.cat_file(self.path(name))) if self.remote else Path(self.path(name)).read_bytes()

    def open(self, name: str) -> IO[bytes]:
        with _named("read", self.address(name)):
            path = self.path(name)
            return self.fs.open(path, "rb") if self.remote else Path(path).open("rb")

    def open_if_there(self, name: str) -> IO[bytes] | None:
        with _named("read", self.address(name)):
            path = self.path(name)
            try:
                return self.fs.open(path, "rb") if self.remote else Path(path).open("rb")
            except FileNotFoundError:
                return None

    def names(self, folder: str) -> list[str]:
        """What is in the folder, sorted; nothing if it is not there."""
        with _named("list", self.address(folder)):
            try:
                if self.remote:
                    self.fs.invalidate_cache()  # other processes write here
                    found = [str(p).rstrip("/") for p in self.fs.ls(self.path(folder), detail=False)]
                    return sorted(Path(p).name for p in found if p != self.path(folder))
                return sorted(os.listdir(self.path(folder)))  # noqa: PTH208
            except FileNotFoundError:
                return []

    def write(self, name: str, content: bytes) -> None:
        with self.writer(name) as file:
            file.write(content)

    @contextlib.contextmanager
    def writer(self, name: str) -> Iterator[pa.NativeFile]:
        """The file appears when the block is left without an exception."""
        with self.together() as files, files.writer(name) as file:
            yield file

    @contextlib.contextmanager
    def together(self) -> Iterator[Together]:
        """Files that appear, one behind the other, only when all of them are written: a full disk leaves none."""
        files = Together(self)
        try:
            yield files
            files.commit()
        finally:
            files.discard()

    def remove(self, name: str) -> None:
        """Removes a file or a folder with what is in it; nothing happens if it is not there."""
        with _named("remove", self.address(name)):
            path = self.path(name)
            if self.remote:
                if self.fs.exists(path):
                    self.fs.rm(path, recursive=True)
            elif Path(path).is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                Path(path).unlink(missing_ok=True)
