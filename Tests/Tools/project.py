"""Where the project is, for tests and tools that read its other files."""

import pathlib

# The folder with Package.swift.
ROOT = pathlib.Path(__file__).resolve().parents[2]
