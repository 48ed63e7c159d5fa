"""The networks in PyTorch: detector (heatmap, corners), classifier and verifier (number, ink, direction, corners)."""

from __future__ import annotations

import copy
from dataclasses import dataclass

import torch
from torch import nn

from tilekeeper.vision.types import WHITE


def conv(inputs: int, outputs: int, stride: int = 1, kernel: int = 3) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU(inplace=True),
    )


class Residual(nn.Module):
    """A residual block of two convolutions."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first = conv(channels, channels)
        self.second = nn.Sequential(nn.Conv2d(channels, channels, 3, 1, 1, bias=False), nn.BatchNorm2d(channels))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(x + self.second(self.first(x)))


class DetectorNet(nn.Module):
    """One-class detector: `(N, 3, H, W)` RGB 0 to 255, H and W multiples of 32, to `(N, 9, H/4, W/4)`.

    Channel 0 is the logit of a tile's centre, 1 to 8 are the offsets (x, y) of its corners, clockwise from the
    tile's own top left, in units of 16 px (`vision.detection.detector.CORNER_UNIT_PX`) from the cell's middle
    (CenterNet, arXiv 1904.07850, with corners).
    """

    def __init__(self) -> None:
        super().__init__()
        self.stem = conv(3, 16, 2)
        self.down4 = nn.Sequential(conv(16, 32, 2), Residual(32))
        self.down8 = nn.Sequential(conv(32, 48, 2), Residual(48))
        self.down16 = nn.Sequential(conv(48, 64, 2), Residual(64))
        self.down32 = nn.Sequential(conv(64, 96, 2), Residual(96), conv(96, 64, kernel=1))
        self.side16 = conv(64, 64, kernel=1)
        self.out16 = conv(64, 48)
        self.side8 = conv(48, 48, kernel=1)
        self.out8 = conv(48, 32)
        self.side4 = conv(32, 32, kernel=1)
        self.out4 = conv(32, 48)
        self.maps = nn.Conv2d(48, 9, 1)
        nn.init.constant_(self.maps.bias[:1], -4.0)

    def forward(self, picture: torch.Tensor) -> torch.Tensor:
        return self.maps(self.features(picture))

    def features(self, picture: torch.Tensor) -> torch.Tensor:
        """Return `(N, 48, H/4, W/4)`: the maps are linear functions of these features, cell by cell."""
        x4 = self.down4(self.stem(picture / 64.0 - 2.0))
        x8 = self.down8(x4)
        x16 = self.down16(x8)
        y = self.side16(x16) + _twice(self.down32(x16))
        y = self.side8(x8) + _twice(self.out16(y))
        y = self.side4(x4) + _twice(self.out8(y))
        return self.out4(y)


def _twice(x: torch.Tensor) -> torch.Tensor:
    # Whole cells are repeated in memory, because interpolation of 8-bit values works value by value, which is slower.
    cells = x.permute(0, 2, 3, 1)
    count, rows, columns, channels = cells.shape
    lines = torch.cat([cells, cells], dim=3).reshape(count, rows, 1, 2 * columns * channels)
    return torch.cat([lines, lines], dim=2).reshape(count, 2 * rows, 2 * columns, channels).permute(0, 3, 1, 2)


@dataclass(frozen=True, slots=True)
class ClassifierWidths:
    """Numbers of channels of a classifier's layers; `residual` adds a residual block after the coarsest convolution."""

    stem: int
    fine: int
    middle: int
    coarse: int
    last: int
    squeezed: int
    features: int
    residual: bool = False


CLASSIFIER = ClassifierWidths(16, 24, 48, 80, 64, 16, 128)
VERIFIER = ClassifierWidths(16, 32, 64, 112, 80, 20, 192, residual=True)
CELLS = 54
"""Number of cells of the coarsest map, 9 × 6."""


class ClassifierNet(nn.Module):
    """Classifier of rectified tiles: `(N, 3, 72, 48)` RGB, 1 = the tile's white, to `(N, 28)`.

    Logits: 0 to 12 the numbers 1 to 13, 13 joker, 14 not a tile; 15 to 18 the inks black, blue, warm, red; 19 upside
    down. 20 to 27 are the offsets of the tile's corners from those of the crop, x and y in tile widths.
    """

    def __init__(self, widths: ClassifierWidths = CLASSIFIER) -> None:
        super().__init__()
        self.widths = widths
        self.trunk = nn.Sequential(
            conv(3, widths.stem, 2),
            conv(widths.stem, widths.fine),
            conv(widths.fine, widths.middle, 2),
            Residual(widths.middle),
            conv(widths.middle, widths.coarse, 2),
            conv(widths.coarse, widths.last),
            nn.Dropout2d(0.1),
        )
        if widths.residual:
            self.trunk.insert(5, Residual(widths.coarse))
        self.squeeze = conv(widths.last, widths.squeezed, kernel=1)
        self.heads = nn.Sequential(
            nn.Linear(widths.squeezed * CELLS + widths.last, widths.features),
            nn.ReLU(inplace=True),
            nn.Linear(widths.features, 28),
        )

    def forward(self, crops: torch.Tensor) -> torch.Tensor:
        return self.heads[-1](self.features(crops))

    def features(self, crops: torch.Tensor) -> torch.Tensor:
        """Return `(N, 128)`, for a verifier `(N, 192)`: the logits are linear functions of these features.

        Fine-tuning to a set of tiles fits a new last layer on them.
        """
        x = self.trunk(2.0 * crops - 1.4)
        return self.heads[:-1](torch.cat([self.squeeze(x).flatten(1), x.mean((2, 3))], dim=1))


@torch.no_grad()
def widened(classifier: ClassifierNet, widths: ClassifierWidths = VERIFIER) -> ClassifierNet:
    """Return a wider classifier with the same output as `classifier` (Net2Net, arXiv 1511.05641).

    The old channels come first. New channels have random weights, and their output has weight 0.
    """
    wide = ClassifierNet(widths)
    old, new = classifier.widths, widths
    old_index_to_new = {**{str(i): str(i) for i in range(5)}, "5": "6" if new.residual else "5"}
    state = wide.state_dict()
    for name, value in classifier.state_dict().items():
        part, index, *rest = name.split(".")
        target = state[".".join([part, old_index_to_new[index], *rest]) if part == "trunk" else name]
        if value.ndim == 0:
            target.copy_(value)
        elif value.ndim == 4 or name == "heads.2.weight":
            target[: len(value)] = 0
            target[: len(value), : value.shape[1]] = value
        elif name == "heads.0.weight":
            target[: len(value)] = 0
            squeezed = old.squeezed * CELLS
            target[: len(value), :squeezed] = value[:, :squeezed]
            start = new.squeezed * CELLS
            target[: len(value), start : start + old.last] = value[:, squeezed:]
        else:
            target[: len(value)] = value
    wide.load_state_dict(state)
    if new.residual:
        wide.trunk[5].second[1].weight.zero_()
    return wide


@torch.no_grad()
def of_squares(first: nn.Conv2d) -> nn.Sequential:
    """Return a convolution on squares of 2 × 2 pixels that equals `first`, a 3 × 3 one with stride 2, on pixels.

    The squares are those of `vision.runtime.network.space_to_depth`: an 8-bit layer with twelve input channels takes a
    third of the time of one with three.
    """
    squares = nn.Conv2d(12, first.out_channels, 2, bias=False)
    squares.weight.zero_()
    for row in range(3):
        for column in range(3):
            # The pixels above and to the left belong to the previous squares.
            square, inside = ((row + 1) // 2, (column + 1) // 2), ((row + 1) % 2, (column + 1) % 2)
            start = 3 * (2 * inside[0] + inside[1])
            squares.weight[:, start : start + 3, square[0], square[1]] = first.weight[:, :, row, column].flip(1)
    return nn.Sequential(nn.ZeroPad2d((1, 0, 1, 0)), squares)


UNFITTED_LOGIT = 4.0
"""Logit of the face map until `models.calibration.face_head` fits it: each cell may show the face of a tile."""


class DetectorOfBytes(nn.Module):
    """The shipped detector: `(N, H/2, W/2, 12)` uint8, squares of a BGR image, to `(N, 10, H/4, W/4)`.

    The first nine channels are those of `DetectorNet`, the last one is the face map.
    """

    def __init__(self, detector: DetectorNet) -> None:
        super().__init__()
        self.detector = copy.deepcopy(detector)
        self.detector.stem[0] = of_squares(detector.stem[0])
        weight, bias = detector.maps.weight.detach().flatten(1), detector.maps.bias.detach()
        self.weight = nn.Parameter(torch.cat([weight, torch.zeros(1, weight.shape[1])]))
        self.bias = nn.Parameter(torch.cat([bias, torch.tensor([UNFITTED_LOGIT])]))

    def forward(self, picture: torch.Tensor) -> torch.Tensor:
        # With channels last, the layout of 8-bit layers, the maps of all cells are one matrix product.
        cells = self.detector.features(picture.permute(0, 3, 1, 2).float()).permute(0, 2, 3, 1)
        return nn.functional.linear(cells, self.weight, self.bias).permute(0, 3, 1, 2)


class ClassifierOfBytes(nn.Module):
    """The shipped classifier: `(N, 36, 24, 12)` uint8, squares of BGR crops in which `WHITE` is the tile's white.

    Returns the logits `(N, 28)`, and the features, of which the logits are linear functions.
    """

    def __init__(self, classifier: ClassifierNet) -> None:
        super().__init__()
        self.classifier = copy.deepcopy(classifier)
        self.classifier.trunk[0][0] = of_squares(classifier.trunk[0][0])

    def forward(self, crops: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        features = self.classifier.features(crops.permute(0, 3, 1, 2).float() / WHITE)
        return self.classifier.heads[-1](features), features
