import pytest

from clear_kgqa.evaluation.error_classes import error_class, error_classes

P = "PREFIX : <http://x/> "


@pytest.mark.parametrize(
    ("gold", "predicted", "expected"),
    [
        ("SELECT ?a { :b :author ?a }", "SELECT ?a { :b :editor ?a }", "predicate"),
        ("SELECT ?a { :b :author ?x . ?x :born ?a }", "SELECT ?a { :b :author ?a }", "predicate"),
        ("SELECT ?a { :b :author ?a }", "SELECT ?a { :c :author ?a }", "entity"),
        ("SELECT ?a { :b :author ?a }", "SELECT ?a { ?a :author :b }", "reasoning"),
        ("SELECT (COUNT(?a) AS ?n) { :b :author ?a }", "SELECT ?a { :b :author ?a }", "reasoning"),
        ("ASK { :b :author :c }", "SELECT ?a { :b :author :c }", "reasoning"),
        ("SELECT ?a { :b :author ?a }", "SELECT ?a { :b :author ?a FILTER(?a != :z) }", "reasoning"),
        ("SELECT ?a { :b :author ?a . ?a a :Woman }", "SELECT ?a { :b :author ?a }", "constraint"),
        ("SELECT ?a { :b :part ?a . ?a a :Wheel }", "SELECT ?a { :b :part ?a . ?a a :Door }", "constraint"),
        ("SELECT ?a { :b :part ?a . ?a :price ?p FILTER(?p>3) }", "SELECT ?a { :b :part ?a }", "constraint"),
        ("SELECT ?a { :b :part ?a . ?a :price ?p } ORDER BY ?p", "SELECT ?a { :b :part ?a }", "constraint"),
        ("SELECT ?a { :b :part ?a } ORDER BY ?a LIMIT 1", "SELECT ?a { :b :part ?a }", "constraint"),
        ('SELECT ?a { ?a :kind "novel" }', 'SELECT ?a { ?a :kind ?k }', "reasoning"),
        ("SELECT ?a { :b :author ?a }", "SELECT DISTINCT ?z { :b :author ?z }", "gold"),
        ("SELECT ?a { :b :author ?a }", "", "no answer"),
        ("SELECT ?a {", "SELECT ?a { :b :author ?a }", "other"),
    ],
)  # fmt: skip
def test_classes(gold: str, predicted: str, expected: str) -> None:
    assert error_class(P + gold, P + predicted if predicted else "") == expected


def test_ids_per_class() -> None:
    def record(name: str, f1: float, sparql: str) -> dict[str, object]:
        gold = {"sparql": P + "SELECT ?a { :b :author ?a }", "differs": False}
        return {"id": name, "metrics": {"strict": {"f1": f1}}, "gold": gold, "sparql": sparql}

    found = error_classes([record("1", 1, ""), record("2", 0, ""), record("3", 0.5, "x"), {"id": "4"}])
    assert found["no answer"] == ["2"] and found["other"] == ["3"]
    assert sum(map(len, found.values())) == 2 and len(found) == 7
