"""Prints a parse tree of `query_tree` as SPARQL again: what was rewritten in the tree is what gets run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from clear_kgqa_tools.errors import QueryError
from clear_kgqa_tools.terms import RDF_TYPE, XSD, Term, iri_ref

# Names simpler than the grammar allows: stores disagree on dots and escapes in local names.
_LOCAL = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?")
_NUMBER = {
    XSD + "integer": re.compile(r"[+-]?\d+"),
    XSD + "decimal": re.compile(r"[+-]?\d*\.\d+"),
    XSD + "double": re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)[eE][+-]?\d+"),
    XSD + "boolean": re.compile("true|false"),
}


def query_text(tree: Any, prefixes: Mapping[str, str] | None = None) -> str:
    """The query as text, one pattern a line; `prefixes` shorten IRIs, and only those used are declared.

    Printing, parsing and printing again gives the same text. Raises QueryError for what is no query.
    """
    printer = _Printer(prefixes or {})
    body = printer.query(tree)
    used = [f"PREFIX {p}: {iri_ref(ns)}" for p, ns in printer.prefixes if p in printer.used]
    return "\n".join([*used, body])


def path_text(path: Any, prefixes: Mapping[str, str] | None = None) -> str:
    """A predicate (IRI, variable or property path) as text."""
    return _Printer(prefixes or {}).path(path)


class _Printer:
    def __init__(self, prefixes: Mapping[str, str]) -> None:
        # The longest namespace first, so that the shortest local name is found.
        self.prefixes = sorted(prefixes.items(), key=lambda item: (-len(item[1]), item[0]))
        self.used: set[str] = set()
        self._blank: dict[str, str] = {}

    def query(self, node: Any) -> str:
        lines = [self._head(node)]
        for clause in node.datasetClause or ():
            named = f"NAMED {self.term(clause.named)}" if clause.named else self.term(clause.default)
            lines.append(f"FROM {named}")
        if node.where is not None:
            lines.append(f"WHERE {self.group(node.where)}")
        return "\n".join(lines + self._modifiers(node))

    def _head(self, node: Any) -> str:
        if node.name in ("SelectQuery", "SubSelect"):
            return self._select_clause(node)
        if node.name == "ConstructQuery":
            return self._construct_clause(node)
        if node.name == "DescribeQuery":
            return "DESCRIBE " + self._terms(node.var or ["*"])
        if node.name == "AskQuery":
            return "ASK"
        raise QueryError(f"{node.name} is not a query")

    def _select_clause(self, node: Any) -> str:
        columns = [
            self.term(v.var) if v.var is not None else f"({self.expression(v.expr)} AS {self.term(v.evar)})"
            for v in node.projection or ()
        ]
        return " ".join(["SELECT", *([node.modifier] if node.modifier else []), *(columns or ["*"])])

    def _construct_clause(self, node: Any) -> str:
        # rdflib's name for the short form CONSTRUCT WHERE { ... }
        if node.where.name == "FakeGroupGraphPatten":
            return "CONSTRUCT"
        return "CONSTRUCT {\n" + _indented(self._triples(node.template or [])) + "\n}"

    def _modifiers(self, node: Any) -> list[str]:
        lines = []
        if node.groupby:
            lines.append("GROUP BY " + " ".join(self._group_condition(c) for c in node.groupby.condition))
        if node.having:
            lines.append("HAVING " + " ".join(f"({self.expression(c)})" for c in node.having.condition))
        if node.orderby:
            lines.append("ORDER BY " + " ".join(self._order_condition(c) for c in node.orderby.condition))
        if node.limitoffset:
            limits = (("LIMIT", node.limitoffset.limit), ("OFFSET", node.limitoffset.offset))
            lines += [f"{word} {int(n)}" for word, n in limits if n is not None]
        if node.valuesClause:
            lines.append(self._values(node.valuesClause))
        return lines

    def _group_condition(self, node: Any) -> str:
        if getattr(node, "name", "") == "GroupAs":
            alias = f" AS {self.term(node.var)}" if node.var is not None else ""
            return f"({self.expression(node.expr)}{alias})"
        return self.expression(node)

    def _order_condition(self, node: Any) -> str:
        inner = self.expression(node.expr)
        if node.order:
            return f"{node.order}({inner})"
        return inner if not hasattr(node.expr, "name") else f"({inner})"

    def group(self, node: Any) -> str:
        if node.name == "SubSelect":
            return "{\n" + _indented([self.query(node)]) + "\n}"
        parts = [line for part in node.part or () for line in self.pattern(part)]
        return "{\n" + _indented(parts) + "\n}" if parts else "{ }"

    def pattern(self, node: Any) -> list[str]:
        if node.name == "TriplesBlock":
            return self._triples(node.triples)
        if node.name == "GroupOrUnionGraphPattern":
            return [" UNION ".join(self.group(g) for g in node.graph)]
        if node.name in ("OptionalGraphPattern", "MinusGraphPattern"):
            return [f"{node.name[: -len('GraphPattern')].upper()} {self.group(node.graph)}"]
        if node.name == "GraphGraphPattern":
            return [f"GRAPH {self.term(node.term)} {self.group(node.graph)}"]
        if node.name == "ServiceGraphPattern":
            return [f"SERVICE {'SILENT ' if node.silent else ''}{self.term(node.term)} {self.group(node.graph)}"]
        if node.name == "Filter":
            return [f"FILTER({self.expression(node.expr)})"]
        if node.name == "Bind":
            return [f"BIND({self.expression(node.expr)} AS {self.term(node.var)})"]
        if node.name == "InlineData":
            return [self._values(node)]
        raise QueryError(f"{node.name} cannot stand in a graph pattern")

    def _triples(self, groups: Any) -> list[str]:
        return [
            f"{self.term(s)} {self.path(p)} {self.term(o)} ."
            for flat in groups
            for s, p, o in zip(flat[::3], flat[1::3], flat[2::3], strict=True)
        ]

    def _values(self, node: Any) -> str:
        rows = node.value or []
        one_variable = not any(isinstance(row, list) for row in rows)
        cells = [self.term(r) if one_variable else f"({self._terms(r)})" for r in rows]
        names = self._terms(node.var or [])
        if not one_variable or len(node.var or []) != 1:
            names = f"({names})"
        return f"VALUES {names} {{ {' '.join(cells)} }}"

    def _terms(self, terms: Iterable[Any]) -> str:
        return " ".join(self.term(t) for t in terms)

    def path(self, node: Any, inner: bool = False) -> str:
        name = getattr(node, "name", "")
        if name in ("PathAlternative", "PathSequence"):
            if len(node.part) == 1:
                return self.path(node.part[0], inner)
            # Alternatives of sequences need no brackets, nor do inverse steps in either.
            joined = ("|" if name == "PathAlternative" else "/").join(
                self.path(p, inner=p.name == "PathElt") for p in node.part
            )
            return f"({joined})" if inner else joined
        if name == "PathElt":
            part = self.path(node.part, inner or bool(node.mod))
            return part + (node.mod or "")
        if name == "PathEltOrInverse":
            return f"(^{self.path(node.part, True)})" if inner else f"^{self.path(node.part, True)}"
        if name == "PathNegatedPropertySet":
            return f"!({'|'.join(self.path(p, True) for p in node.part)})"
        if name:
            raise QueryError(f"{name} cannot stand in a property path")
        return "a" if str(node) == RDF_TYPE else self.term(node)

    def expression(self, node: Any) -> str:
        from clear_kgqa.nlkgq.expression_text import expression

        return expression(node, self.term, self.group)

    def term(self, node: Any) -> str:
        from rdflib import BNode, Literal, URIRef, Variable

        if isinstance(node, Variable):
            return f"?{node}"
        if isinstance(node, BNode):
            return self._blank.setdefault(str(node), f"_:b{len(self._blank)}")
        if isinstance(node, URIRef):
            return self._iri(str(node))
        if isinstance(node, Literal):
            return self._literal(node)
        if node in ("*", "UNDEF"):
            return str(node)
        raise QueryError(f"{node!r} is not an RDF term")

    def _iri(self, iri: str) -> str:
        for prefix, namespace in self.prefixes:
            if iri.startswith(namespace) and _LOCAL.fullmatch(iri[len(namespace) :]):
                self.used.add(prefix)
                return f"{prefix}:{iri[len(namespace) :]}"
        return iri_ref(iri)

    def _literal(self, node: Any) -> str:
        datatype = str(node.datatype or "")
        if datatype in _NUMBER and _NUMBER[datatype].fullmatch(str(node)):
            return str(node)
        plain = Term(str(node), language=str(node.language or "")).n3()
        if node.language or datatype in ("", XSD + "string"):
            return plain
        return f"{plain}^^{self._iri(datatype)}"


def _indented(blocks: list[str]) -> str:
    return "\n".join("  " + line for block in blocks for line in block.split("\n"))
