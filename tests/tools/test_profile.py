from pathlib import Path

import pytest

from clear_kgqa_tools.errors import ConfigError
from clear_kgqa_tools.load_profile import load_profile, profile_from_json, profile_names
from clear_kgqa_tools.profiles_detect import detect_profile

WDT = "http://www.wikidata.org/prop/direct/"


def test_every_shipped_profile_loads_with_labels_types_and_prefixes() -> None:
    assert profile_names() == ["dbpedia", "freebase", "generic", "wikidata"]
    for name in profile_names():
        profile = load_profile(name)
        assert profile.name == name
        assert profile.labels and profile.type_predicates and profile.hidden
        assert profile.prefixes["rdfs"] == "http://www.w3.org/2000/01/rdf-schema#"


def test_profile_of_the_users_own(tmp_path: Path) -> None:
    file = tmp_path / "ours.yaml"
    file.write_text("labels: [http://o/label]\nlanguages: [de, en]\nproperty_namespace: [[http://a/, http://b/]]\n")
    profile = load_profile(str(file))
    assert (profile.name, profile.labels, profile.languages) == ("ours", ("http://o/label",), ("de", "en"))
    assert profile.property_namespace == (("http://a/", "http://b/"),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("labels: http://o/label", "profile bad: labels must be a list"),
        ("label: [a]", "unknown field 'label'"),
        ("- a", "expected a mapping"),
        ("labels: [", "not YAML"),
        ("qualifiers: maybe", "qualifiers must be true or false"),
        ("property_namespace: [[a]]", "property_namespace must be a list"),
    ],
)
def test_wrong_profile_is_one_line(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "bad.yaml"
    file.write_text(text)
    with pytest.raises(ConfigError) as error:
        load_profile(str(file))
    assert message in str(error.value) and "\n" not in str(error.value)


def test_unknown_name_lists_the_known() -> None:
    with pytest.raises(ConfigError, match="dbpedia, freebase, generic, wikidata"):
        load_profile("yago")


def test_missing_profile_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot read the profile"):
        load_profile(str(tmp_path / "none.yaml"))


@pytest.mark.parametrize(
    ("predicates", "name"),
    [
        ({WDT + "P31", WDT + "P279", "http://www.w3.org/2000/01/rdf-schema#label"}, "wikidata"),
        ({"http://dbpedia.org/ontology/capital", "http://www.w3.org/2000/01/rdf-schema#label"}, "dbpedia"),
        (
            {"http://rdf.freebase.com/ns/type.object.name", "http://rdf.freebase.com/ns/film.film.director"},
            "freebase",
        ),
        ({"http://o/p", "http://o/q", "http://www.w3.org/2000/01/rdf-schema#label"}, "generic"),
        ({f"http://o/p{n}" for n in range(30)} | {"http://dbpedia.org/ontology/country"}, "generic"),
        (set(), "generic"),
    ],
)
def test_detection(predicates: set[str], name: str) -> None:
    assert detect_profile(predicates).name == name


def test_json_round_trip() -> None:
    from dataclasses import asdict

    profile = load_profile("wikidata")
    assert profile_from_json(asdict(profile)) == profile
