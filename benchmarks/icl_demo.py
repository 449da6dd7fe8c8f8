"""Example selection with a small model over the demo graph: 50 questions, 0, 1 and 3 shots, four strategies.

Usage: python benchmarks/icl_demo.py OUT [MODEL]        (MODEL: smollm2-135m, a hub id, a folder or a .gguf
file)

The demo graph's IRIs are numbers, so queries are rewritten to readable terms (`:Peru`, `:capital`) before
they are shown.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from clear_kgqa.evaluation.samples import Sample, write_samples
from clear_kgqa.examples.generative import TransformersModel
from clear_kgqa.examples.icl import run_icl
from clear_kgqa.examples.icl_report import IclRow, write_report
from clear_kgqa.examples.readable import readable_samples
from clear_kgqa.nlkgq.wrapper import NAMESPACE
from clear_kgqa_tools.bundle import GraphBundle
from clear_kgqa_tools.open_bundle import open_bundle
from clear_kgqa_tools.safety import check
from clear_kgqa_tools.terms import iri_ref

PREFIXES = {
    "d": "https://clear-kgqa.example/demo/",
    "g": "http://www.geonames.org/ontology#",
    "s": "http://schema.org/",
}

# The examples: `{0}` is one of TRAIN_COUNTRIES, [name] an entity by its label.
TRAIN = (
    ("What is the capital of {0}?", "SELECT ?a {{ [{0}] d:capital ?a }}"),
    ("Which money is used in {0}?", "SELECT ?a {{ [{0}] d:currency ?a }}"),
    ("Name the languages of {0}.", "SELECT ?a {{ [{0}] d:language ?a }}"),
    ("How many people live in {0}?", "SELECT ?a {{ [{0}] g:population ?a }}"),
    ("How many countries border {0}?", "SELECT (COUNT(DISTINCT ?a) AS ?n) {{ ?a g:neighbour [{0}] }}"),
    ("Which countries border {0}?", "SELECT ?a {{ ?a g:neighbour [{0}] . ?a a s:Country }}"),
    ("List the cities of {0}.", "SELECT ?a {{ ?a g:parentCountry [{0}] . ?a a s:City }}"),
    ("Which neighbour of {0} is in Africa?",
     "SELECT ?a {{ ?a g:neighbour [{0}] . ?a d:continent [Africa] }}"),
    ("Which country in Asia borders {0}?",
     "SELECT ?a {{ ?a d:continent [Asia] . ?a g:neighbour [{0}] ; a s:Country }}"),
    ("How many people live in the capital of {0}?",
     "SELECT ?a {{ [{0}] d:capital ?x . ?x g:population ?a }}"),
    ("In which time zone is the capital of {0}?", "SELECT ?a {{ [{0}] d:capital ?x . ?x d:timeZone ?a }}"),
    ("Which currencies are used by countries that border {0}?",
     "SELECT ?a {{ ?x g:neighbour [{0}] . ?x d:currency ?a . ?a a d:Currency }}"),
    ("Which languages do the countries next to {0} speak?",
     "SELECT ?a {{ ?x g:neighbour [{0}] . ?x d:language ?a . ?x a s:Country }}"),
    ("Does {0} border Germany?", "ASK {{ [{0}] g:neighbour [Germany] }}"),
    ("Is {0} in Europe?", "ASK {{ [{0}] d:continent [Europe] }}"),
)  # fmt: skip
TRAIN_COUNTRIES = ("France", "Brazil", "Kenya", "Iraq", "Poland", "Chad", "Canada", "Iran", "Peru", "Laos")

TEST = (
    ("What is Mongolia's capital city?", "SELECT ?a { [Mongolia] d:capital ?a }"),
    ("Tell me the capital of Bolivia.", "SELECT ?a { [Bolivia] d:capital ?a }"),
    ("What do people in Thailand pay with?", "SELECT ?a { [Thailand] d:currency ?a }"),
    ("What is the currency of Norway?", "SELECT ?a { [Norway] d:currency ?a }"),
    ("Which languages are spoken in Switzerland?", "SELECT ?a { [Switzerland] d:language ?a }"),
    ("What is the population of Egypt?", "SELECT ?a { [Egypt] g:population ?a }"),
    ("How large is Kazakhstan?", "SELECT ?a { [Kazakhstan] d:area ?a }"),
    ("On which continent does Yemen lie?", "SELECT ?a { [Yemen] d:continent ?a }"),
    ("What is the calling code of Portugal?", "SELECT ?a { [Portugal] d:callingCode ?a }"),
    ("Where is Urdu spoken?", "SELECT ?a { ?a d:language [Urdu] }"),
    ("How many neighbours does Zambia have?",
     "SELECT (COUNT(DISTINCT ?a) AS ?n) { ?a g:neighbour [Zambia] }"),
    ("How many countries lie in South America?",
     "SELECT (COUNT(DISTINCT ?a) AS ?n) { ?a d:continent [South America] }"),
    ("How many counties does Ohio have?",
     "SELECT (COUNT(DISTINCT ?a) AS ?n) { ?a g:parentADM1 [Ohio] . ?a a d:USCounty }"),
    ("Which nations share a border with Austria?", "SELECT ?a { ?a g:neighbour [Austria] . ?a a s:Country }"),
    ("What countries are adjacent to Mali?", "SELECT ?a { ?a g:neighbour [Mali] . ?a a s:Country }"),
    ("Which cities lie in Nepal?", "SELECT ?a { ?a g:parentCountry [Nepal] . ?a a s:City }"),
    ("Name the towns in Nevada.", "SELECT ?a { ?a g:parentADM1 [Nevada] . ?a a s:City }"),
    ("Show me the counties of Maine.", "SELECT ?a { ?a g:parentADM1 [Maine] . ?a a d:USCounty }"),
    ("Which countries use the Euro?", "SELECT ?a { ?a d:currency [Euro] . ?a a s:Country }"),
    ("Which neighbour of Argentina lies in South America?",
     "SELECT ?a { ?a g:neighbour [Argentina] . ?a d:continent [South America] }"),
    ("What borders both Spain and Italy?", "SELECT ?a { ?a g:neighbour [Spain] . ?a g:neighbour [Italy] }"),
    ("Where in Africa is Portuguese spoken?",
     "SELECT ?a { ?a d:continent [Africa] . ?a d:language [Portuguese] }"),
    ("What in Europe borders Russia?", "SELECT ?a { ?a d:continent [Europe] . ?a g:neighbour [Russia] }"),
    ("Who in Asia uses the US Dollar?", "SELECT ?a { ?a d:continent [Asia] . ?a d:currency [US Dollar] }"),
    ("Which country in Africa borders Egypt?",
     "SELECT ?a { ?a d:continent [Africa] . ?a g:neighbour [Egypt] . ?a a s:Country }"),
    ("Which country in North America speaks Dutch?",
     "SELECT ?a { ?a d:continent [North America] . ?a d:language [Dutch] . ?a a s:Country }"),
    ("Which country borders both India and China?",
     "SELECT ?a { ?a g:neighbour [India] . ?a g:neighbour [China] . ?a a s:Country }"),
    ("Which country in Europe speaks French and borders Italy?",
     "SELECT ?a { ?a g:neighbour [Italy] . ?a d:language [French] . ?a a s:Country }"),
    ("How big is the population of Vietnam's capital?",
     "SELECT ?a { [Vietnam] d:capital ?x . ?x g:population ?a }"),
    ("What is the time zone of the capital of Cuba?", "SELECT ?a { [Cuba] d:capital ?x . ?x d:timeZone ?a }"),
    ("How far north is the capital of Iceland?",
     "SELECT ?a { [Iceland] d:capital ?x . ?x <http://www.w3.org/2003/01/geo/wgs84_pos#lat> ?a }"),
    ("What is the currency code of the money of Ghana?",
     "SELECT ?a { [Ghana] d:currency ?x . ?x d:currencyCode ?a }"),
    ("On which continents is Spanish spoken?", "SELECT ?a { ?x d:language [Spanish] . ?x d:continent ?a }"),
    ("What are the capitals of the countries that use the Euro?",
     "SELECT ?a { ?x d:currency [Euro] . ?x d:capital ?a }"),
    ("Which languages are spoken next to Turkey?",
     "SELECT ?a { ?x g:neighbour [Turkey] . ?x d:language ?a . ?a a s:Language }"),
    ("Which currencies do the neighbours of Niger use?",
     "SELECT ?a { ?x g:neighbour [Niger] . ?x d:currency ?a . ?a a d:Currency }"),
    ("Which cities are capitals of neighbours of Sudan?",
     "SELECT ?a { ?x g:neighbour [Sudan] . ?x d:capital ?a . ?a a s:City }"),
    ("Which languages do the countries around Bolivia speak?",
     "SELECT ?a { ?x g:neighbour [Bolivia] . ?x d:language ?a . ?x a s:Country }"),
    ("What money do the countries that border Thailand use?",
     "SELECT ?a { ?x g:neighbour [Thailand] . ?x d:currency ?a . ?x a s:Country }"),
    ("Name the capitals of the countries in South America.",
     "SELECT ?a { ?x d:continent [South America] . ?x d:capital ?a . ?x a s:Country }"),
    ("Which top-level domains do the countries that border Austria have?",
     "SELECT ?a { ?x g:neighbour [Austria] . ?x d:topLevelDomain ?a . ?x a s:Country }"),
    ("Is Denmark a neighbour of Germany?", "ASK { [Denmark] g:neighbour [Germany] }"),
    ("Does Spain share a border with Morocco?", "ASK { [Spain] g:neighbour [Morocco] }"),
    ("Is Turkey part of Asia?", "ASK { [Turkey] d:continent [Asia] }"),
    ("Do people speak German in Belgium?", "ASK { [Belgium] d:language [German] }"),
    ("Is the Euro used in Ireland?", "ASK { [Ireland] d:currency [Euro] }"),
    ("Are Chile and Argentina neighbours?", "ASK { [Chile] g:neighbour [Argentina] }"),
    ("Is Cairo the capital of Egypt?", "ASK { [Egypt] d:capital [Cairo] }"),
    ("Does Kenya lie in Africa?", "ASK { [Kenya] d:continent [Africa] }"),
    ("Is Lima in Peru?", "ASK { [Lima] g:parentCountry [Peru] }"),
)  # fmt: skip


def main(out: Path, model: str) -> None:
    bundle = open_bundle("demo")
    wanted = [(q.format(c), s.format(c)) for q, s in TRAIN for c in TRAIN_COUNTRIES]
    train = list(samples("train", wanted, bundle))
    test = list(samples("test", TEST, bundle))
    out.mkdir(parents=True, exist_ok=True)
    write_samples(out / "train.jsonl", train)
    write_samples(out / "test.jsonl", test)
    shown = readable_samples([*train, *test], bundle)
    models = {model: partial(TransformersModel, model, out, 96, 25)}
    report = run_icl(
        shown[: len(train)], shown[len(train) :], models, bundle.similarity, prefixes={"": NAMESPACE},
        progress=told,
    )  # fmt: skip
    write_report(report, out)
    print(report.markdown())
    bundle.close()


def told(row: IclRow) -> None:
    print(
        f"{row.strategy}:{row.shots} {row.types} BLEU {row.bleu:.4f} F1 {row.f1:.4f} {row.seconds} s",
        flush=True,
    )


def samples(part: str, wanted: object, bundle: GraphBundle) -> Iterator[Sample]:
    """The questions with names resolved; stops where a name is unknown or a query has no answer."""
    for number, (question, query) in enumerate(wanted):  # type: ignore[arg-type, var-annotated]
        names = re.findall(r"\[([^\]]+)\]", query)
        for name, found in bundle.nodes.exact(names).items():
            if not found:
                raise SystemExit(f"no node is named {name}")
            query = query.replace(f"[{name}]", iri_ref(found[0].iri))
        checked = check(query, PREFIXES)
        result = bundle.graph.query(checked)
        if part == "test" and checked.form == "select" and not result.rows:
            raise SystemExit(f"no answer: {question} {checked.text}")
        yield Sample(f"{part}-{number}", question, checked.text)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "smollm2-135m")
