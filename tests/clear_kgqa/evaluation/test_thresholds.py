from typing import Any

from clear_kgqa.evaluation.thresholds import cell, grid, in_development, scored_of


def record(name: str, entity: float, intent: float) -> dict[str, Any]:
    readings = [
        {"sparql": "", "p": 0.5, "answers": ["a"], "class": 0, "entity": "e1", "path": "p"},
        {"sparql": "", "p": 0.3, "answers": ["b"], "class": 1, "entity": "e2", "path": "p"},
        {"sparql": "", "p": 0.1, "answers": ["c"], "class": 2, "entity": "e2", "path": "q"},
    ]
    scores = [
        {"kind": "entity", "score": entity},
        {"kind": "intent", "score": intent},
        {"kind": "entity", "score": 0.1},
    ]
    late = {"event": "scored", "readings": [], "scores": [{"kind": "entity", "score": 1.0}]}
    asked = {"event": "asked", "clarification": {"options": []}}
    events = [{"event": "scored", "readings": readings, "scores": scores}, asked, late]
    return {
        "id": name,
        "metrics": {"strict": {}},
        "asking": {"readings_f1": [0.0, 0.0, 1.0]},
        "events": events,
    }


def test_the_highest_score_of_a_kind_before_any_question_counts() -> None:
    scored = scored_of(record("1", 0.7, 0.8))
    assert scored and (scored.entity, scored.intent) == (0.7, 0.8)
    assert scored_of({"id": "x", "end": "excluded"}) is None


def test_replay() -> None:
    scored = scored_of(record("1", 0.7, 0.8))
    assert scored
    silent = cell([scored], 0.9, 0.9)
    assert (silent.f1, silent.rounds) == (0, 0)
    entity = cell([scored], 0.6, 0.9)  # the entity is right now, its better path is not
    assert (entity.f1, entity.rounds) == (0, 1)
    both = cell([scored], 0.6, 0.6)
    assert (both.f1, both.rounds) == (1, 2)


def test_an_intent_asked_about_the_wrong_entity_helps_nothing() -> None:
    scored = scored_of(record("1", 0.7, 0.8))
    assert scored
    assert cell([scored], 0.9, 0.6).rounds == 0  # the likelier entity has one path: nothing to ask


def test_grid_chooses_on_the_development_half_alone() -> None:
    names = [str(at) for at in range(12)]
    out = grid([record(name, 0.7, 0.8) for name in names])
    assert out["items"] == 12 and len(out["full"]) == 81 and len(out["entity"]) == len(out["intent"]) == 9
    development = sum(map(in_development, names))
    assert (out["chosen"]["items"], out["test"]["items"]) == (development, 12 - development)
    assert out["chosen"]["f1"] == 1 and out["chosen"]["rounds"] == 2 and out["test"]["f1"] == 1
    assert out["entity"][0] == {"entity": 0.5, "intent": 0.5, "f1": 1.0, "rounds": 2.0}
