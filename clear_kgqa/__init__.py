"""clear-kgqa: question answering over knowledge graphs that asks back when the answer depends on it."""

__version__ = "0.1.0"
