"""The plan of a store that the page has too: a picture with its width, and the gateways' zones from the configuration of `beacond site`."""

import base64
import io
import re
import tomllib
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from PIL import Image

from .model import named
from .source import CannotReport

PICTURES = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".svg": "image/svg+xml"}
LARGEST_BYTES = 4 << 20
SVG_BOX = re.compile(r"<svg[^>]*\bviewBox\s*=\s*[\"']\s*[-\d.]+[\s,]+[-\d.]+[\s,]+([\d.]+)[\s,]+([\d.]+)")
# A zone's name with the middle of its gateways.
Place = tuple[str, float, float]


@dataclass(frozen=True)
class Plan:
    """`image` is a data URL, empty without a picture; its lower left corner is the origin. `zones` are by floor."""

    image: str = ""
    width_m: float = 0
    depth_m: float = 0
    zones: dict[str, list[Place]] = field(default_factory=dict)


def read_plan(picture: Path | None, width_m: float | None, configuration: Path | None) -> Plan:
    image, depth_m = "", 0.0
    if picture:
        if picture.suffix.lower() not in PICTURES or not width_m or width_m <= 0:
            raise CannotReport("--plan takes a PNG, JPEG or SVG, and --width its width in metres")
        octets = contents(picture)
        if len(octets) > LARGEST_BYTES:
            raise CannotReport(f"{picture}: longer than {LARGEST_BYTES >> 20} MiB: save a smaller picture")
        depth_m = width_m * shape_of(picture, octets)
        image = f"data:{PICTURES[picture.suffix.lower()]};base64,{base64.b64encode(octets).decode()}"
    return Plan(image, width_m or 0, depth_m, zones_of(configuration) if configuration else {})


def contents(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise CannotReport(f"{path}: {error.strerror}") from None


def shape_of(picture: Path, octets: bytes) -> float:
    """Returns the height of the picture for each unit of its width."""
    try:
        if picture.suffix.lower() == ".svg":
            found = SVG_BOX.search(octets.decode())
            width, height = map(float, found.groups()) if found else (0, 0)
        else:
            width, height = Image.open(io.BytesIO(octets)).size
        return height / width
    except (ValueError, ZeroDivisionError, OSError):
        raise CannotReport(f"{picture}: no picture that can be read; an SVG needs a viewBox") from None


def zones_of(configuration: Path) -> dict[str, list[Place]]:
    """As `beacond site` has them: a gateway without a zone is one by its id."""
    floors: dict[str, dict[str, list[tuple[float, float]]]] = defaultdict(lambda: defaultdict(list))
    try:
        for gateway in tomllib.loads(contents(configuration).decode()).get("site", {}).get("gateway", []):
            if position := gateway.get("position"):
                x, y = map(float, position)
                floors[str(gateway.get("floor", 0))][gateway.get("zone", gateway["id"])].append((x, y))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise CannotReport(f"{configuration}: {type(error).__name__}: {error}: beacond site check --config {configuration} names the fault") from None
    return {floor: [(named(zone), sum(x for x, _ in places) / len(places), sum(y for _, y in places) / len(places)) for zone, places in sorted(zones.items())]
            for floor, zones in floors.items()}
