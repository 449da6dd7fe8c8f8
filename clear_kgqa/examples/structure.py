"""Structural types of queries: triples abstracted to entities, relations, classes and variables by role.

Source: example selection by SPARQL structure (methods.md section 5). A relation's direction is ignored, COUNT
is no shape, and every occurrence of an entity is a slot: `ans-R-E1, ans-R-E2` holds where E1 is E2 as well.
"""

from __future__ import annotations

from functools import cache, lru_cache

from clear_kgqa.examples.canonical import Edge, canonical_edges
from clear_kgqa.examples.patterns import QueryPattern, query_pattern
from clear_kgqa_tools.terms import RDF_TYPE

TYPE_PREDICATES = (RDF_TYPE, "http://www.wikidata.org/prop/direct/P31")

# One query of each shape that LC-QuAD 1.0 uses.
_SHAPES = {
    "ans-R-E": "SELECT ?ans { ?ans <r> <e> }",
    "ans-R-E, ans type C": "SELECT ?ans { ?ans <r> <e> . ?ans a <c> }",
    "ans-R-E1, ans-R-E2": "SELECT ?ans { ?ans <r> <e1> . ?ans <s> <e2> }",
    "ans-R-E1, ans-R-E2, ans type C": "SELECT ?ans { ?ans <r> <e1> . ?ans <s> <e2> . ?ans a <c> }",
    "E-R-x, x-R-ans": "SELECT ?ans { <e> <r> ?x . ?x <s> ?ans }",
    "E-R-x, x-R-ans, ans type C": "SELECT ?ans { <e> <r> ?x . ?x <s> ?ans . ?ans a <c> }",
    "E-R-x, x-R-ans, x type C": "SELECT ?ans { <e> <r> ?x . ?x <s> ?ans . ?x a <c> }",
    "ASK E-R-E": "ASK { <e1> <r> <e2> }",
}
LETTERS = {"G": "E-R-x, x-R-ans, x type C"}


@lru_cache(maxsize=32_768)
def structural_type(sparql: str, type_predicates: tuple[str, ...] = TYPE_PREDICATES) -> str:
    """The structural type, equal for two queries exactly when their abstracted patterns are isomorphic.

    A canonical text such as `select: C1-R-x1, E1-R-x1, ans1-R-x1`. Raises QueryError where the query cannot
    be parsed. Patterns too symmetric to search, which no benchmark has, are told apart by colour refinement
    alone.
    """
    return pattern_type(query_pattern(sparql), type_predicates)


def pattern_type(pattern: QueryPattern, type_predicates: tuple[str, ...] = TYPE_PREDICATES) -> str:
    """The structural type of a query that is a pattern already."""
    kinds, edges = _abstract(pattern, frozenset(f"<{iri}>" for iri in type_predicates))
    named = canonical_edges(kinds, edges)
    return f"{pattern.form}: {', '.join(named)}"


def shape_name(structure: str) -> str:
    """The table's name of a structural type (`E-R-x, x-R-ans`), or the type itself where it has none."""
    return _named_shapes().get(structure, structure)


@cache
def _named_shapes() -> dict[str, str]:
    return {structural_type(query): name for name, query in _SHAPES.items()}


def _abstract(pattern: QueryPattern, type_predicates: frozenset[str]) -> tuple[list[str], list[Edge]]:
    """Node kinds (E, L, C, ans, x) and labelled edges; a triple with a variable relation is a node (t)."""
    kinds: list[str] = []
    edges: list[Edge] = []
    variables: dict[str, int] = {}

    def node(text: str, kind: str) -> int:
        if not text.startswith("?"):
            kinds.append(kind)
            return len(kinds) - 1
        if text not in variables:
            kinds.append("ans" if text in pattern.answers else "x")
            variables[text] = len(kinds) - 1
        return variables[text]

    for triple in dict.fromkeys(pattern.triples):
        subject = node(triple.subject, _constant(triple.subject))
        is_type = triple.relation in type_predicates
        end = node(triple.object, "C" if is_type and triple.object.startswith("<") else _constant(triple.object))
        if not triple.relation.startswith("?"):
            edges.append((subject, end, "R"))
            continue
        kinds.append("t")
        middle = len(kinds) - 1
        edges += [(subject, middle, "R"), (middle, end, "R"), (middle, node(triple.relation, ""), "P")]
    return kinds, edges


def _constant(text: str) -> str:
    return "E" if text.startswith("<") else "L"
