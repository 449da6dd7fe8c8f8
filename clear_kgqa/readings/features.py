"""The names of the features, and those that answers give: evidence as numbers of about unit size (methods, section 1)."""

from __future__ import annotations

import math

from clear_kgqa.readings.cues import Cues
from clear_kgqa.readings.question import Question

FEATURES = (
    "masked",
    "whole",
    "lexical",
    "explained",
    "unexplained_names",
    "compatibility",
    "share",
    "alias",
    "fuzzy",
    "prefix",
    "number_changed",
    "demonym",
    "pair",
    "span_words",
    "covered",
    "type_words",
    "description_words",
    "inverse",
    "inverse_who",
    "person",
    "place",
    "date",
    "number",
    "noun",
    "log_count",
    "typed",
    "joined",
    "two_hop",
    "ordered",
    "filtered",
    "counted",
    "asked",
    "compared",
    "attribute",
    "fits",
    "log_answers",
    "single",
    "type_kept",
    "head",
    "answer_noun",
    "answer_kind",
    "open",
    "ungraded",
    "uncounted",
    "unasked",
    "unbounded",
    "two_hop_named",
    "plural_single",
    "noun_left",
    "value",
    "preposition",
    "definite_many",
    "unchosen",
    "many_inverse",
    "two_hop_full",
    "meant",
    "accounted",
    "both_hops",
    "holds",
    "unjoined",
    "inherited",
)
NULL_FEATURES = (
    "bias",
    "best_masked",
    "best_explained",
    "log_candidates",
    "no_span",
    "noun_left",
    "best_masked_left",
    "least_unexplained",
    "best_lexical",
    "class_lost",
)


def with_answers(
    f: dict[str, float], number: int, untyped: int | None, kind: tuple[float, float], cues: Cues, holds: bool
) -> dict[str, float]:
    """Add what a limited run showed: how many answers, of which classes, the share that a constraint kept, and whether
    a yes/no reading `holds`: of two nodes of one name that is meant of which a thing can be said."""
    f["answer_noun"], f["answer_kind"] = kind
    f["holds"] = float(holds)
    f["definite_many"] = float(cues.definite and number > 2)
    f["plural_single"] = float(cues.plural and number == 1)
    f["log_answers"] = math.log1p(number) / 7
    f["many_inverse"] = f["log_answers"] * f["inverse"]
    f["single"] = float(number == 1)
    f["type_kept"] = number / untyped if untyped else 0.0
    return f


def null_features(question: Question, rows: list[dict[str, float]], class_lost: bool) -> dict[str, float]:
    """Evidence that the graph does not hold what is asked, from the readings with answers; `class_lost` says that none
    of those honours a class that the question names ("the least populous *state*" where states have no population)."""
    return {
        "bias": 1.0,
        "best_masked": max((r["masked"] for r in rows), default=0.0),
        "best_explained": max((r["explained"] for r in rows), default=0.0),
        "log_candidates": math.log1p(len(question.candidates)) / 4,
        "no_span": float(not question.candidates),
        "noun_left": min((r["noun_left"] for r in rows), default=1.0),
        "least_unexplained": min((1 - r["explained"] for r in rows), default=1.0) * len(question.content) / 3,
        "class_lost": float(class_lost),
        "best_lexical": max((r["lexical"] for r in rows), default=0.0),
        "best_masked_left": max((r["masked"] for r in rows if not r["noun_left"]), default=0.0),
    }
