"""Which profile a graph needs, from the predicates that it uses."""

from __future__ import annotations

from collections.abc import Iterable

from clear_kgqa_tools.load_profile import load_profile, profile_names
from clear_kgqa_tools.profile import Profile

_SHARE = 0.1


def detect_profile(predicates: Iterable[str]) -> Profile:
    """The shipped profile that most predicates speak for; generic where none claims a tenth."""
    distinct = set(predicates)
    best, votes = load_profile("generic"), _SHARE * len(distinct)
    for name in profile_names():
        profile = load_profile(name)
        found = sum(p.startswith(profile.detect) for p in distinct) if profile.detect else 0
        if found > votes:
            best, votes = profile, found
    return best
