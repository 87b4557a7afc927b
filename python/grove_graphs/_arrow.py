"""Arrow IPC without a library: a stream of columns to the command, and the tables that it writes.

What is here is the part of the format that Grove speaks: whole and real numbers, words, lists of them and lists of
lists; one batch when writing; nothing compressed. The format: https://arrow.apache.org/docs/format/Columnar.html.
"""

from __future__ import annotations

import mmap
import os
import struct
from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Optional, Tuple, Union

import numpy as np

_CONTINUATION = b"\xff\xff\xff\xff"
_SCHEMA, _RECORD_BATCH = 1, 3  # kinds of messages
_INT, _FLOAT, _UTF8, _BOOL, _LIST, _FIXED_SIZE_LIST = 2, 3, 5, 6, 12, 16  # kinds of types


@dataclass
class Words:
    """Words: ``raw`` has all of them, ``offsets`` (int32, one more than there are) where each begins."""

    offsets: np.ndarray
    raw: bytes

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @classmethod
    def of(cls, words: List[str]) -> "Words":
        """The words of a list."""
        text = "".join(words)
        raw = text.encode()
        sizes = map(len, words) if len(raw) == len(text) else (len(w.encode()) for w in words)
        return cls(offsets_of(np.fromiter(sizes, np.int64, len(words))), raw)


@dataclass
class Lists:
    """Lists: list i has the values from ``offsets[i]`` to ``offsets[i+1]``; ``offsets`` is int32."""

    offsets: np.ndarray
    values: "Column"

    def __len__(self) -> int:
        return len(self.offsets) - 1


Column = Union[np.ndarray, Words, Lists]


def offsets_of(sizes: np.ndarray) -> np.ndarray:
    """Where lists of the given sizes begin, and the end of the last one."""
    offsets = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=offsets[1:])
    if offsets[-1] > np.iinfo(np.int32).max:
        raise ValueError(f"{offsets[-1]} values, more than {np.iinfo(np.int32).max} go into one column")
    return offsets.astype(np.int32)


class _Builder:
    """Builds a flatbuffer from its end to its start; places are counted from the end."""

    def __init__(self) -> None:
        self.buffer = b""

    def put(self, raw: bytes, alignment: int) -> int:
        """Puts bytes before all others, at a place that is a multiple of the alignment, and returns it."""
        gap = -(len(self.buffer) + len(raw)) % alignment
        self.buffer = raw + b"\0" * gap + self.buffer
        return len(self.buffer)

    def string(self, text: str) -> int:
        raw = text.encode()
        return self.put(struct.pack("<I", len(raw)) + raw + b"\0", 4)

    def structs(self, raw: bytes, count: int) -> int:
        """A vector of structs of 8-byte numbers."""
        self.put(raw, 8)
        return self.put(struct.pack("<I", count), 4)

    def references(self, places: List[int]) -> int:
        """A vector of references."""
        self.put(b"", 4)
        for place in reversed(places):
            self.put(struct.pack("<I", len(self.buffer) + 4 - place), 4)
        return self.put(struct.pack("<I", len(places)), 4)

    def table(self, *fields: Tuple[int, str, int]) -> int:
        """A table of (slot, format of a number, value); the format "ref" is for a place."""
        end, places = len(self.buffer), {}
        for slot, form, value in fields:
            if form == "ref":
                self.put(b"", 4)
                places[slot] = self.put(struct.pack("<I", len(self.buffer) + 4 - value), 4)
            else:
                places[slot] = self.put(struct.pack("<" + form, value), struct.calcsize("<" + form))
        start = self.put(b"\0" * 4, 4)
        slots = max(places, default=-1) + 1
        at = [start - places[s] if s in places else 0 for s in range(slots)]
        self.put(struct.pack(f"<{2 + slots}H", 4 + 2 * slots, start - end, *at), 2)
        vtable, total = len(self.buffer), len(self.buffer)
        where = total - start
        self.buffer = self.buffer[:where] + struct.pack("<i", vtable - start) + self.buffer[where + 4 :]
        return start

    def finish(self, root: int) -> bytes:
        """The buffer, which begins with where its root is."""
        self.put(b"", 8)
        self.put(b"\0" * 4, 8)
        return struct.pack("<I", len(self.buffer) - root) + self.buffer[4:]


def _type(b: _Builder, column: Column) -> Tuple[int, int, List[Tuple[str, Column]]]:
    """The kind and the table of the type of a column, and its children."""
    if isinstance(column, Words):
        return _UTF8, b.table(), []
    if isinstance(column, Lists):
        return _LIST, b.table(), [("item", column.values)]
    if column.dtype.kind == "f":
        return _FLOAT, b.table((0, "h", {4: 1, 8: 2}[column.dtype.itemsize])), []
    return _INT, b.table((0, "i", 8 * column.dtype.itemsize), (1, "B", column.dtype.kind == "i")), []


def _field(b: _Builder, name: str, column: Column) -> int:
    label = b.string(name)
    kind, described, children = _type(b, column)
    below = b.references([_field(b, child, values) for child, values in children])
    return b.table((0, "ref", label), (1, "B", 0), (2, "B", kind), (3, "ref", described), (5, "ref", below))


def _message(b: _Builder, kind: int, header: int, body: int) -> bytes:
    root = b.table((0, "h", 4), (1, "B", kind), (2, "ref", header), (3, "q", body))
    raw = b.finish(root)
    return _CONTINUATION + struct.pack("<i", len(raw)) + raw


def _gather(column: Column, nodes: List[Tuple[int, int]], buffers: List[Any]) -> None:
    """Appends the lengths and the bytes of a column and its children, in the order of the format."""
    nodes.append((len(column), 0))
    buffers.append(b"")  # nothing is missing
    if isinstance(column, Words):
        buffers.extend([column.offsets, column.raw])
    elif isinstance(column, Lists):
        buffers.append(column.offsets)
        _gather(column.values, nodes, buffers)
    else:
        buffers.append(column)


def _bytes(values: Any) -> Any:
    """The bytes of an array or of bytes, without a copy where there is none needed."""
    if isinstance(values, np.ndarray):
        return memoryview(np.ascontiguousarray(values)).cast("B") if values.size else b""
    return values


def stream(columns: Dict[str, Column], metadata: Dict[str, str]) -> Iterator[Any]:
    """The bytes of a stream of columns of equal length, piece by piece and without a copy."""
    b = _Builder()
    fields = b.references([_field(b, name, column) for name, column in columns.items()])
    pairs = [b.table((0, "ref", b.string(k)), (1, "ref", b.string(v))) for k, v in metadata.items()]
    said = b.references(pairs)
    yield _message(b, _SCHEMA, b.table((1, "ref", fields), (2, "ref", said)), 0)

    nodes: List[Tuple[int, int]] = []
    buffers: List[Any] = []
    for column in columns.values():
        _gather(column, nodes, buffers)
    raw = [_bytes(x) for x in buffers]
    places, at = [], 0
    for part in raw:
        places.append((at, len(part)))
        at += len(part) + -len(part) % 8
    b = _Builder()
    lengths = b.structs(b"".join(struct.pack("<qq", *n) for n in nodes), len(nodes))
    where = b.structs(b"".join(struct.pack("<qq", *p) for p in places), len(places))
    rows = len(next(iter(columns.values())))
    yield _message(b, _RECORD_BATCH, b.table((0, "q", rows), (1, "ref", lengths), (2, "ref", where)), at)
    for part in raw:
        yield part
        yield b"\0" * (-len(part) % 8)
    yield _CONTINUATION + b"\0\0\0\0"


class _Table:
    """A table of a flatbuffer."""

    def __init__(self, raw: memoryview, place: int) -> None:
        self.raw, self.place = raw, place
        self.vtable = place - struct.unpack_from("<i", raw, place)[0]
        self.slots = (struct.unpack_from("<H", raw, self.vtable)[0] - 4) // 2

    def at(self, slot: int) -> Optional[int]:
        """Where the value of a slot is."""
        if slot >= self.slots:
            return None
        offset = struct.unpack_from("<H", self.raw, self.vtable + 4 + 2 * slot)[0]
        return self.place + offset if offset else None

    def number(self, slot: int, form: str) -> int:
        place = self.at(slot)
        return 0 if place is None else struct.unpack_from("<" + form, self.raw, place)[0]

    def table(self, slot: int) -> "_Table":
        return _Table(self.raw, self._follow(self.at(slot)))

    def _follow(self, place: Optional[int]) -> int:
        assert place is not None
        return place + struct.unpack_from("<I", self.raw, place)[0]

    def _vector(self, slot: int) -> Tuple[int, int]:
        place = self.at(slot)
        if place is None:
            return 0, 0
        start = self._follow(place)
        return start + 4, struct.unpack_from("<I", self.raw, start)[0]

    def text(self, slot: int) -> str:
        start, size = self._vector(slot)
        return bytes(self.raw[start : start + size]).decode()

    def tables(self, slot: int) -> List["_Table"]:
        start, size = self._vector(slot)
        return [_Table(self.raw, self._follow(start + 4 * i)) for i in range(size)]

    def structs(self, slot: int) -> np.ndarray:
        """Structs of two 8-byte numbers, a row each."""
        start, size = self._vector(slot)
        return np.frombuffer(self.raw, "<i8", 2 * size, start).reshape(size, 2)


class _Batch:
    """Takes the columns out of a batch."""

    def __init__(self, header: _Table, body: memoryview) -> None:
        self.nodes = iter(header.structs(1))
        self.buffers = iter(header.structs(2))
        self.body = body

    def numbers(self, dtype: str) -> np.ndarray:
        place, size = next(self.buffers)
        return np.frombuffer(self.body, dtype, size // np.dtype(dtype).itemsize, place)

    def column(self, field: _Table) -> np.ndarray:
        length, missing = next(self.nodes)
        there = np.unpackbits(self.numbers("u1"), bitorder="little")[:length].astype(bool)
        kind, described = field.number(2, "B"), field.table(3)
        if kind == _UTF8:
            offsets = self.numbers("<i4")
            raw = self.numbers("u1").tobytes()
            words = [raw[a:b].decode() for a, b in zip(offsets[:length], offsets[1:])]
            return np.array(words, dtype=object)
        if kind == _LIST:
            offsets = self.numbers("<i4")
            values = self.column(field.tables(5)[0])
            rows = np.empty(length, dtype=object)
            rows[:] = [values[a:b] for a, b in zip(offsets[:length], offsets[1:])]
            return rows
        if kind == _FIXED_SIZE_LIST:
            return self.column(field.tables(5)[0]).reshape(length, described.number(0, "i"))
        if kind == _BOOL:
            return np.unpackbits(self.numbers("u1"), bitorder="little")[:length].astype(bool)
        if kind == _INT:
            return self.numbers(f"<i{described.number(0, 'i') // 8}")[:length]
        if kind != _FLOAT:
            raise ValueError(f"column {field.text(0)} has a type that is not read here")
        values = self.numbers({1: "<f4", 2: "<f8"}[described.number(0, "h")])[:length]
        return np.where(there, values, np.nan) if missing else values


def read(path: Union[str, os.PathLike]) -> Dict[str, np.ndarray]:
    """The columns of a file, by name. A number that is missing is NaN, a word "". A file of one batch is not copied:
    the columns are views of the mapped file."""
    with open(path, "rb") as file:
        raw = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    if raw[:6] != b"ARROW1":
        raise ValueError(f"{path}: no file of Arrow IPC")
    fields: List[_Table] = []
    pieces: Dict[str, List[np.ndarray]] = {}
    at = 8
    while True:
        size = struct.unpack_from("<i", raw, at + 4)[0]
        if size == 0:
            break
        at += 8
        message = _Table(raw, at + struct.unpack_from("<I", raw, at)[0])
        header, body = message.table(2), at + size
        at = body + message.number(3, "q")
        if message.number(1, "B") == _SCHEMA:
            fields = header.tables(1)
            pieces = {f.text(0): [] for f in fields}
            continue
        batch = _Batch(header, raw[body:at])
        for f in fields:
            pieces[f.text(0)].append(batch.column(f))
    return {name: p[0] if len(p) == 1 else np.concatenate(p) for name, p in pieces.items()}
