"""Networks that remember their answers: to read the same pictures again takes the time of the code around them alone.

The same input has the same answer, crop by crop: the networks that ship round each crop by itself, whatever stands
beside it in its batch.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

import numpy as np

from tilekeeper.vision.manifest import Sessions

CROP_BATCH = 64
FAINTEST = -5.0
"""Logits of the finder's first map below this (a score of 0.0067) are not kept: no limit asks for peaks so faint."""


class Session(Protocol):
    """A network: `run` answers the outputs that it is asked for by name."""

    def run(self, outputs: Sequence[str] | None, feeds: Mapping[str, np.ndarray]) -> list[np.ndarray]: ...


Answers = dict[bytes, tuple[np.ndarray, ...]]


@dataclass(slots=True)
class RememberedCrops:
    """A network of crops; `answers` are those for each crop's digest, `asked` counts the crops that it was shown."""

    session: Session
    outputs: tuple[str, ...]
    answers: Answers = field(default_factory=dict)
    asked: int = 0

    def run(self, outputs: Sequence[str], feeds: Mapping[str, np.ndarray]) -> list[np.ndarray]:
        """Answer as the session does."""
        (name, crops), *_ = feeds.items()
        self.asked += len(crops)
        digests = [_digest(crop) for crop in crops]
        new = list({digest: at for at, digest in enumerate(digests) if digest not in self.answers}.items())
        for begin in range(0, len(new), CROP_BATCH):
            some = new[begin : begin + CROP_BATCH]
            answers = self.session.run(list(self.outputs), {name: crops[[at for _, at in some]]})
            self.answers |= {digest: tuple(a[k].copy() for a in answers) for k, (digest, _) in enumerate(some)}
        places = [self.outputs.index(output) for output in outputs]
        return [np.stack([self.answers[digest][place] for digest in digests]) for place in places]


@dataclass(slots=True)
class RememberedPictures:
    """The finder's network; of its maps only the places are kept where a tile could at all be."""

    session: Session
    answers: Answers = field(default_factory=dict)
    asked: int = 0

    def run(self, outputs: Sequence[str] | None, feeds: Mapping[str, np.ndarray]) -> list[np.ndarray]:
        """Answer as the session does, with a score of 0 wherever it is below `FAINTEST`."""
        (_, picture), *_ = feeds.items()
        self.asked += 1
        digest = _digest(picture)
        if digest not in self.answers:
            maps = self.session.run(outputs, feeds)[0][0]
            places = np.flatnonzero(maps[0] > FAINTEST)
            self.answers[digest] = np.array(maps.shape), places, maps.reshape(len(maps), -1)[:, places]
        shape, places, values = self.answers[digest]
        maps = np.zeros((shape[0], shape[1] * shape[2]), np.float32)
        maps[0] = -60.0
        maps[:, places] = values
        return [maps.reshape(1, *shape)]


def _digest(values: np.ndarray) -> bytes:
    return hashlib.blake2b(
        np.ascontiguousarray(values).tobytes(), digest_size=16, key=str(values.shape).encode()
    ).digest()


@dataclass(slots=True)
class Networks:
    """The sessions of the networks that ship, each remembering what it answered."""

    sessions: Sessions

    @classmethod
    def of(cls, sessions: Sessions) -> Networks:
        """Let these sessions remember."""
        both = ("logits", "features")
        proofreader = sessions.proofreader and RememberedCrops(sessions.proofreader, ("logits",))
        return cls(
            replace(
                sessions,
                finder=RememberedPictures(sessions.finder),
                namer=RememberedCrops(sessions.namer, both),
                proofreader=proofreader,
            )
        )

    @property
    def _each(self) -> list[RememberedCrops | RememberedPictures]:
        return [one for one in (self.sessions.finder, self.sessions.namer, self.sessions.proofreader) if one]

    @property
    def asked(self) -> tuple[int, ...]:
        """How many pictures the finder, how many crops the namer and the proofreader were shown."""
        return tuple(one.asked for one in self._each)

    @property
    def known(self) -> int:
        """How many answers are remembered."""
        return sum(len(one.answers) for one in self._each)

    def save(self, path: Path) -> None:
        """Keep all answers in a file."""
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        part.write_bytes(pickle.dumps([one.answers for one in self._each], protocol=5))
        part.replace(path)

    def load(self, path: Path) -> None:
        """Take the answers of a file of one's own making, where there is one."""
        if path.is_file():
            for one, answers in zip(self._each, pickle.loads(path.read_bytes()), strict=True):
                one.answers.update(answers)
