"""What the pipeline is run with, and which of its steps are left out for an ablation."""

from __future__ import annotations

from dataclasses import dataclass

from clear_kgqa.settings import MARS_STEPS, Settings

TOP_N, HOPS = 20, 10  # as published


@dataclass(frozen=True, slots=True)
class MarsOptions:
    """`top_n` patterns are added a hop, `hops` is the hop at which a query is forced (mhop).

    `rewriting`: the question names the entities' types. `enrichment`: instances, domain and range stand beside a
    pattern. `counts`: how many values a pattern has. `classes`: the classes that the question names are linked too.
    `verification`: the executed query is looked at once more.
    """

    top_n: int = TOP_N
    hops: int = HOPS
    rewriting: bool = True
    enrichment: bool = True
    counts: bool = True
    classes: bool = True
    verification: bool = True


def mars_options(settings: Settings) -> MarsOptions:
    """The options as settings give them."""
    kept = dict.fromkeys(MARS_STEPS, True) | dict.fromkeys(filter(None, settings.mars_without.split(",")), False)
    kept["verification"] = kept["verification"] and settings.verify
    return MarsOptions(settings.top_n or TOP_N, settings.hops or HOPS, **kept)
