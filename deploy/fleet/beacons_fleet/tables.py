"""The tables of a change: read from TOML, written as a message, signed."""

import base64
import json
import subprocess
import tempfile
import tomllib
from pathlib import Path
from typing import Any

import rfc8785

from .gateways import MAX_OCTETS, MAX_VERSION

# The tables that a gateway takes over MQTT (settings-desired.schema.json has the same list).
TABLES = ("radio", "rotation", "smoothing", "distance", "regions", "region", "ranging", "device", "beacons", "health", "log")
LISTS = ("region", "device")
# Room for the topic and the fields of MQTT in a packet of the size that a gateway takes.
PACKET_ROOM = 512


class Unusable(Exception):
    """A file or a message that cannot be used, with the reason."""


def read(path: Path) -> dict[str, Any]:
    """Returns the tables of a TOML file. Raises Unusable."""
    try:
        tables = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise Unusable(f"{path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise Unusable(f"{path}: no TOML: {error}") from None
    for name, table in tables.items():
        if name not in TABLES:
            raise Unusable(f"{path}: [{name}] cannot be set over MQTT; these can: {', '.join(TABLES)}")
        if name in LISTS and not isinstance(table, list):
            raise Unusable(f"{path}: write [[{name}]] with double brackets")
        if name not in LISTS and not isinstance(table, dict):
            raise Unusable(f"{path}: {name} must be a table, [{name}]")
    return tables


def message(tables: dict[str, Any], version: int, key: Path | None = None, signed_for: str | None = None) -> bytes:
    """Returns settings/desired, signed where there is a key. Raises Unusable for one that a gateway would not take."""
    if not 1 <= version <= MAX_VERSION:
        raise Unusable(f"version {version}: must be from 1 to {MAX_VERSION}")
    content: dict[str, Any] = {"schema": 1, "version": version, "tables": tables}
    if key:
        content["signature"] = signature(tables, version, key, signed_for or "")
        content["signed_for"] = signed_for
    try:
        payload = json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
    except (TypeError, ValueError) as error:
        raise Unusable(f"the tables have a value that no key takes: {error}") from None
    if len(payload) > MAX_OCTETS - PACKET_ROOM:
        raise Unusable(f"the message has {len(payload)} bytes, and a gateway takes {MAX_OCTETS - PACKET_ROOM}: use fewer or shorter tables")
    return payload


def signature(tables: dict[str, Any], version: int, key: Path, signed_for: str) -> str:
    """Returns the Ed25519 signature of the tables in Base64, made by openssl. Raises Unusable."""
    try:
        text = f"{signed_for}\n{version}\n".encode() + rfc8785.dumps(tables)
    except rfc8785.CanonicalizationError as error:
        raise Unusable(f"the tables cannot be signed: {error}") from None
    # openssl signs a file alone with Ed25519, because it needs the length first.
    with tempfile.NamedTemporaryFile() as file:
        file.write(text)
        file.flush()
        command = ["openssl", "pkeyutl", "-sign", "-rawin", "-inkey", str(key), "-in", file.name]
        try:
            done = subprocess.run(command, capture_output=True, check=False, stdin=subprocess.DEVNULL)
        except OSError as error:
            raise Unusable(f"openssl: {error.strerror}: apt install openssl") from None
    if done.returncode or len(done.stdout) != 64:
        raise Unusable(f"{key}: no Ed25519 private key: {done.stderr.decode(errors='replace').strip().splitlines()[-1:] or 'openssl said nothing'}")
    return base64.b64encode(done.stdout).decode()
