"""Benchmark queries made standard SPARQL: prefixes, operators, datatypes, comments."""

from __future__ import annotations

from clear_kgqa_tools.safety_tokens import Token, declared, significant, tokens

PREFIXES = {
    "bd": "http://www.bigdata.com/rdf#",
    "dblp": "https://dblp.org/rdf/schema#",
    "dbo": "http://dbpedia.org/ontology/",
    "dbp": "http://dbpedia.org/property/",
    "dbr": "http://dbpedia.org/resource/",
    "dc": "http://purl.org/dc/elements/1.1/",
    "dct": "http://purl.org/dc/terms/",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "geo": "http://www.w3.org/2003/01/geo/wgs84_pos#",
    "ns": "http://rdf.freebase.com/ns/",
    "owl": "http://www.w3.org/2002/07/owl#",
    "p": "http://www.wikidata.org/prop/",
    "pq": "http://www.wikidata.org/prop/qualifier/",
    "ps": "http://www.wikidata.org/prop/statement/",
    "psv": "http://www.wikidata.org/prop/statement/value/",
    "pqv": "http://www.wikidata.org/prop/qualifier/value/",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "res": "http://dbpedia.org/resource/",
    "schema": "http://schema.org/",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "wd": "http://www.wikidata.org/entity/",
    "wdt": "http://www.wikidata.org/prop/direct/",
    "wikibase": "http://wikiba.se/ontology#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "yago": "http://dbpedia.org/class/yago/",
}
_WORDS = {"OR": "||", "AND": "&&"}
_DATATYPES = {"datetime": "dateTime", "bool": "boolean", "int": "integer"}


def repaired(sparql: str, prefixes: dict[str, str] | None = None) -> str:
    """The query in standard SPARQL, without comments, known prefixes declared; empty if nothing is left."""
    found = [t for t in tokens(sparql) if t.kind != "comment"]
    body = "".join(_spelt(token) for token in found).strip()
    if not body:
        return ""
    known = {**PREFIXES, **(prefixes or {})}
    own, at = declared(significant(body))
    used = {t.text.partition(":")[0] for t in significant(body) if t.kind == "pname" and t.start not in at}
    missing = sorted(name for name in used - set(own) if name in known)
    return "".join(f"PREFIX {name}: <{known[name]}> " for name in missing) + body


def _spelt(token: Token) -> str:
    if token.word in _WORDS:
        return _WORDS[token.word]
    prefix, _, name = token.text.partition(":")
    if token.kind == "pname" and prefix == "xsd" and name.lower() in _DATATYPES:
        return f"xsd:{_DATATYPES[name.lower()]}"
    return token.text
