"""The profile of a target: cores, memories, links and limits, and what each back end can use of them."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Literal, TypeVar, cast, get_args

from a2agen.targets.errors import ProfileError
from a2agen.targets.fields import Fields

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

__all__ = ["CAPABILITIES", "Backend", "FlagBlock", "Link", "Profile", "ProfileError", "load", "names", "parse"]

Vendor = Literal["ascend", "nvidia"]
LinkKind = Literal["load_store", "put", "copy_engine"]
_Member = TypeVar("_Member")

CAPABILITIES: Mapping[str, str] = MappingProxyType(
    {
        "symmetric_at": "the address of a peer's symmetric memory, for loads and stores",
        "notify": "set a word at a peer",
        "notify_add": "add to a word at a peer, atomically",
        "wait_eq": "wait until words equal a value",
        "wait_ge": "wait until a word is at least a value",
        "barrier": "a barrier of all cores of all ranks, inside a kernel",
        "fence": "order the stores of a core before its next notify",
        "quiet": "wait until the puts of a core have arrived",
        "queue_quiet": "wait until the puts to one peer on one queue have arrived",
        "putmem": "a put of contiguous bytes",
        "signal": "a put that carries its signal",
        "flag": "flag blocks: data that announces itself",
        "qps": "several queues to a peer",
        "batch": "several requests behind one doorbell",
        "relay": "a put through a third rank",
        "split": "one put per longest contiguous run",
        "host_role": "phases issued by the launcher on side streams",
    }
)
"""Every capability that a back end may list, with its meaning."""

DTYPES = ("i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f8e4m3", "f8e5m2")


@dataclass(frozen=True, slots=True)
class FlagBlock:
    """A block of data that carries its own flag behind the payload, in bytes."""

    payload_bytes: int
    flag_bytes: int

    @property
    def block_bytes(self) -> int:
        return self.payload_bytes + self.flag_bytes


@dataclass(frozen=True, slots=True)
class CopyCosts:
    """What a launch that copies by cores takes, in nanoseconds, and rates in bytes a microsecond: by it a launcher
    chooses tiles and programs.

    `task_latency_ns` is a task's, beside the time of its bytes at `task_rate`; `announce_ns` one program's
    announcement to one peer; `rate` the link's, to all other ranks together.
    """

    start_ns: int
    task_latency_ns: int
    task_rate: int
    announce_ns: int
    rate: int


@dataclass(frozen=True, slots=True)
class EngineCosts:
    """What a launch that copies by a copy engine takes: `start_ns` for all around the copies, in nanoseconds, and the
    link's `rate` to all other ranks together, in bytes a microsecond."""

    start_ns: int
    rate: int


@dataclass(frozen=True, slots=True)
class Link:
    """A way to move data.

    `reach` is the largest number of ranks that it connects. `request_max_bytes` is what one request carries and
    `length_bits` the width of its length in bytes; None where a request has no such limit. `queue_depth` counts the
    places of a queue, of `request_bytes` each: a put takes one, with a signal two. As much on-chip memory does one
    request of a batch take.
    `remote_only`: not to the own rank. `contiguous`: source and destination of a request are one run of bytes.
    `one_core_per_queue`: requests of several cores on one queue are lost. `host_only`: issued by the host.
    `loads_ahead`: a load can be under way while its core waits for a word.
    `leaves_node`: it also reaches ranks whose memory has no address here, as those on other machines.
    `costs` of copies by cores and `engine_costs` of a copy engine are None where they have not been measured.
    """

    name: str
    kind: LinkKind
    reach: int
    request_max_bytes: int | None
    length_bits: int | None
    queue_depth: int | None
    request_bytes: int | None
    remote_only: bool
    contiguous: bool
    one_core_per_queue: bool
    host_only: bool
    loads_ahead: bool
    leaves_node: bool
    costs: CopyCosts | None = None
    engine_costs: EngineCosts | None = None

    @property
    def measured(self) -> bool:
        """Whether a launcher can predict what a launch over this link takes."""
        return self.costs is not None or self.engine_costs is not None


@dataclass(frozen=True, slots=True)
class Backend:
    """What kernels of one back end can use on a target, by the variant of the library that they are built against.

    `queues_max` counts queues to one peer, 0 where no link has queues. `max_barriers_per_wait` is None where a wait
    takes any number of words; the words of one wait lie `wait_stride_bytes` apart. A notify stores
    `notify_word_bytes`, and an operation that compares by order or carries a signal works on `signal_word_bytes`
    (None where there is none).
    """

    name: str
    variant: str
    description: str
    capabilities: frozenset[str]
    dtypes: tuple[str, ...]
    queues_max: int
    max_barriers_per_wait: int | None
    wait_stride_bytes: int
    notify_word_bytes: int
    signal_word_bytes: int | None


@dataclass(frozen=True, slots=True)
class Profile:
    """A target as its TOML file describes it.

    `cores` is the default number of cores of a launch (programs that are resident for certain on a GPU);
    `barrier_cores` the most that may take part in a device barrier, `None` for no such limit. `pairs`: an even and
    the next odd core share an AI core. `ub_bytes` is a core's on-chip buffer, of which UDMA requests take
    `udma_staging_bytes` at `udma_staging_offset`, and in which the compiler insists on `tile_buffers` buffers for a
    loop over tiles, and with `scattered_rows` gives a row to each element of a tile that does not lie beside the next
    in memory. Rows are fast at multiples of `row_align_bytes`, slabs start at
    multiples of `slab_align_bytes` by default, signal words lie `signal_stride_bytes` apart. `heap_max_bytes` is the
    largest symmetric heap of a rank. `refused` says in words why a back end or link is not there. `sources` maps the
    dotted path of a figure in the file to where it comes from. `digest` is the SHA-256 of the file's text.
    """

    name: str
    vendor: Vendor
    description: str
    chips: tuple[str, ...]
    cores: int
    barrier_cores: int | None
    pairs: bool
    ub_bytes: int | None
    tile_buffers: int | None
    scattered_rows: bool
    udma_staging_offset: int | None
    udma_staging_bytes: int | None
    row_align_bytes: int
    slab_align_bytes: int
    signal_stride_bytes: int
    heap_max_bytes: int
    flag_block: FlagBlock | None
    links: Mapping[str, Link]
    backends: Mapping[str, Backend]
    refused: Mapping[str, str]
    sources: Mapping[str, str]
    digest: str

    def link(self, name: str) -> Link:
        """The link of that name; ProfileError with the reason where the target has none."""
        return _member(self, "link", name, self.links)

    def backend(self, name: str) -> Backend:
        """The back end of that name; ProfileError with the reason where the target has none."""
        return _member(self, "back end", name, self.backends)

    def cores_for(self, *, barrier: bool) -> int:
        """The default number of cores of a launch, with or without a device barrier in it."""
        if barrier and self.barrier_cores is not None:
            return min(self.cores, self.barrier_cores)
        return self.cores


def names() -> tuple[str, ...]:
    """The names of the targets that have a profile, sorted."""
    return tuple(sorted(path.stem for path in Path(__file__).parent.glob("*.toml")))


@cache
def load(name: str) -> Profile:
    """The profile of a target; ProfileError for an unknown name, with the names that are close to it."""
    if name not in names():
        raise ProfileError(f"no target {name!r}{_close(name, names())}; the targets are {', '.join(names())}")
    return parse((Path(__file__).parent / f"{name}.toml").read_text(encoding="utf-8"), name)


def parse(text: str, name: str) -> Profile:
    """The profile that a TOML text describes; ProfileError where it is not one, with the key at fault."""
    where = f"profile {name}"
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ProfileError(f"{where}: not TOML: {error}") from None
    sources: dict[str, str] = {}
    top = Fields(where, "", data, sources)
    vendor = top.text("vendor")
    if vendor not in get_args(Vendor):
        raise ProfileError(f"{where}: vendor is {vendor!r}, wanted one of {', '.join(get_args(Vendor))}")
    staging = top.optional_table("udma_staging")
    flag_block = top.optional_table("flag_block")
    profile = Profile(
        name=top.text("name"),
        vendor=cast(Vendor, vendor),
        description=top.text("description"),
        chips=top.strings("chips"),
        cores=top.integer("cores"),
        barrier_cores=top.optional_integer("barrier_cores"),
        pairs=top.flag("pairs"),
        ub_bytes=top.optional_integer("ub_bytes"),
        tile_buffers=top.optional_integer("tile_buffers"),
        scattered_rows=top.optional_flag("scattered_rows"),
        udma_staging_offset=staging.integer("offset") if staging else None,
        udma_staging_bytes=staging.integer("bytes") if staging else None,
        row_align_bytes=top.integer("row_align_bytes"),
        slab_align_bytes=top.integer("slab_align_bytes"),
        signal_stride_bytes=top.integer("signal_stride_bytes"),
        heap_max_bytes=top.integer("heap_max_bytes"),
        flag_block=_flag_block(flag_block) if flag_block else None,
        links=MappingProxyType({key: _link(key, fields, where) for key, fields in top.tables("links")}),
        backends=MappingProxyType({key: _backend(key, fields, where) for key, fields in top.tables("backends")}),
        refused=MappingProxyType(top.texts("refused")),
        sources=MappingProxyType(sources),
        digest=hashlib.sha256(text.replace("\r\n", "\n").encode()).hexdigest(),
    )
    for fields in (top, staging):
        if fields is not None:
            fields.finish()
    if profile.name != name:
        raise ProfileError(f"{where}: name is {profile.name!r}, wanted {name!r} as the file is called")
    return profile


def _flag_block(fields: Fields) -> FlagBlock:
    block = FlagBlock(fields.integer("payload_bytes"), fields.integer("flag_bytes"))
    fields.finish()
    return block


def _link(name: str, fields: Fields, where: str) -> Link:
    kind = fields.text("kind")
    if kind not in get_args(LinkKind):
        raise ProfileError(f"{where}: links.{name}.kind is {kind!r}, wanted one of {', '.join(get_args(LinkKind))}")
    costs = fields.optional_table("costs")
    by_engine = kind == "copy_engine"
    link = Link(
        name=name,
        kind=cast(LinkKind, kind),
        reach=fields.integer("reach"),
        request_max_bytes=fields.optional_integer("request_max_bytes"),
        length_bits=fields.optional_integer("length_bits"),
        queue_depth=fields.optional_integer("queue_depth"),
        request_bytes=fields.optional_integer("request_bytes"),
        remote_only=fields.optional_flag("remote_only"),
        contiguous=fields.optional_flag("contiguous"),
        one_core_per_queue=fields.optional_flag("one_core_per_queue"),
        host_only=fields.optional_flag("host_only"),
        loads_ahead=fields.optional_flag("loads_ahead"),
        leaves_node=fields.optional_flag("leaves_node"),
        costs=_costs(costs) if costs and not by_engine else None,
        engine_costs=_engine_costs(costs) if costs and by_engine else None,
    )
    fields.finish()
    return link


def _costs(fields: Fields) -> CopyCosts:
    costs = CopyCosts(
        start_ns=fields.integer("start_ns"),
        task_latency_ns=fields.integer("task_latency_ns"),
        task_rate=fields.integer("task_rate"),
        announce_ns=fields.integer("announce_ns"),
        rate=fields.integer("rate"),
    )
    fields.finish()
    return costs


def _engine_costs(fields: Fields) -> EngineCosts:
    costs = EngineCosts(start_ns=fields.integer("start_ns"), rate=fields.integer("rate"))
    fields.finish()
    return costs


def _backend(name: str, fields: Fields, where: str) -> Backend:
    backend = Backend(
        name=name,
        variant=fields.text("variant"),
        description=fields.text("description"),
        capabilities=frozenset(fields.strings("capabilities")),
        dtypes=fields.strings("dtypes"),
        queues_max=fields.integer("queues_max"),
        max_barriers_per_wait=fields.optional_integer("max_barriers_per_wait"),
        wait_stride_bytes=fields.integer("wait_stride_bytes"),
        notify_word_bytes=fields.integer("notify_word_bytes"),
        signal_word_bytes=fields.optional_integer("signal_word_bytes"),
    )
    fields.finish()
    for key, found, known in (
        ("capabilities", backend.capabilities, CAPABILITIES),
        ("dtypes", frozenset(backend.dtypes), DTYPES),
    ):
        unknown = sorted(found - set(known))
        if unknown:
            raise ProfileError(f"{where}: backends.{name}.{key} has {', '.join(unknown)}{_close(unknown[0], known)}")
    return backend


def _member(profile: Profile, what: str, name: str, members: Mapping[str, _Member]) -> _Member:
    if name in members:
        return members[name]
    reason = f": {profile.refused[name]}" if name in profile.refused else _close(name, members)
    raise ProfileError(f"{profile.name} has no {what} {name!r}{reason}; it has {', '.join(members)}")


def _close(name: str, known: Iterable[str]) -> str:
    import difflib  # noqa: PLC0415  a sixth of this module's import time, and needed for faults only

    close = difflib.get_close_matches(name, list(known), n=2, cutoff=0.7)
    return f" (did you mean {' or '.join(close)}?)" if close else ""
