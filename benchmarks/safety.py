"""What the safety check of a query costs the first time that its text is seen, printed as Markdown.

python benchmarks/safety.py
"""

from __future__ import annotations

import time

from clear_kgqa_tools.safety import check

ROUNDS = 40
CITY, PLACE = "<http://schema.org/City>", "<https://sws.geonames.org/2921044/>"
POPULATION = "<http://www.geonames.org/ontology#population>"
QUERIES = {
    "one triple": f"SELECT DISTINCT ?x WHERE {{ {PLACE} {POPULATION} ?x . }}",
    "ask": f"ASK {{ {PLACE} a {CITY} }}",
    "count": f"SELECT (COUNT(DISTINCT ?x) AS ?n) WHERE {{ ?x a {CITY} ; <http://schema.org/containedInPlace> {PLACE} }}",
    "superlative": f"SELECT ?x WHERE {{ ?x a {CITY} ; {POPULATION} ?v }} GROUP BY ?x ORDER BY DESC(MAX(?v)) ?x LIMIT 1",
    "wikidata qualifiers": """PREFIX wd: <http://www.wikidata.org/entity/> PREFIX p: <http://www.wikidata.org/prop/>
        PREFIX ps: <http://www.wikidata.org/prop/statement/> PREFIX pq: <http://www.wikidata.org/prop/qualifier/>
        SELECT ?who ?start WHERE { wd:Q30 p:P35 ?s . ?s ps:P35 ?who ; pq:P580 ?start
        FILTER(YEAR(?start) > 1950) OPTIONAL { ?s pq:P582 ?end } } ORDER BY ?start""",
    "union, minus, bind": f"""SELECT ?x ?n WHERE {{ {{ ?x a {CITY} }} UNION {{ ?x a <http://schema.org/State> }}
        MINUS {{ ?x <http://schema.org/containedInPlace> {PLACE} }} ?x {POPULATION} ?p BIND(?p / 1000 AS ?n)
        FILTER EXISTS {{ ?x <http://schema.org/name> ?name FILTER(LANG(?name) = "en" && STRLEN(?name) > 3) }} }}""",
    "sub-select": f"""SELECT ?x ?p WHERE {{ {{ SELECT ?x (MAX(?v) AS ?p) WHERE {{ ?x {POPULATION} ?v }} GROUP BY ?x
        HAVING (COUNT(?v) > 1) }} ?x a {CITY} }} ORDER BY DESC(?p) LIMIT 10""",
    "fifty IRIs": "SELECT ?s ?o WHERE { VALUES ?s { "
    + " ".join(f"<http://ex.org/n{n}>" for n in range(50))
    + " } ?s ?p ?o }",
}


def milliseconds(query: str) -> list[float]:
    """Processor time of each round; a comment makes every text a new one."""
    times = []
    for number in range(ROUNDS):
        start = time.process_time()
        check(f"{query}\n# {number}")
        times.append((time.process_time() - start) * 1e3)
    return sorted(times)


def main() -> None:
    check("ASK {}")  # builds the grammar
    print("| query | characters | p50 ms | p95 ms |\n|---|---|---|---|")
    for name, query in QUERIES.items():
        times = milliseconds(query)
        print(f"| {name} | {len(query)} | {times[ROUNDS // 2]:.1f} | {times[int(ROUNDS * 0.95)]:.1f} |")


if __name__ == "__main__":
    main()
