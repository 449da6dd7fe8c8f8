from collections import Counter
from random import Random

import pytest
from langchain_core.language_models.fake_chat_models import FakeListChatModel

from clear_kgqa.clarification import Clarification, Option
from clear_kgqa.evaluation.gold import Gold, GoldQueries
from clear_kgqa.evaluation.need import Need, need_of
from clear_kgqa.evaluation.samples import Sample
from clear_kgqa.evaluation.user_model import ModelUser, meaning
from clear_kgqa.evaluation.users import SimulatedUser, UserFactory, shuffled, unshuffled, wording
from clear_kgqa_tools.errors import ConfigError
from clear_kgqa_tools.nodes import Node

X = "http://x.example/"
P = "PREFIX : <http://x.example/> "
NODES = {
    X + "dune": Node(X + "dune", "Dune", ("novel",), description="novel by Frank Herbert"),
    X + "dune2": Node(X + "dune2", "Dune", ("film",), description="film of 1984"),
    X + "emma": Node(X + "emma", "Emma", ("novel",)),
    X + "author": Node(X + "author", "author"),
    X + "pages": Node(X + "pages", "pages"),
}
DUNE = Sample("1", "Who wrote Dune?", P + "SELECT ?a { :dune :author ?a }")
EMMA = Sample("2", "Who wrote Emma?", P + "SELECT ?a { :emma :author ?a }")
BOOK = Option(X + "dune", "Dune", "novel")
FILM = Option(X + "dune2", "Dune", "film")
WHICH = Clarification("c", "entity:dune", "entity", "Which Dune?", (FILM, BOOK))


def describe(iris: list[str]) -> dict[str, Node]:
    return {iri: NODES[iri] for iri in iris if iri in NODES}


def user(gold: GoldQueries, profile: str, sample: Sample = DUNE, seed: int = 0) -> SimulatedUser:
    return UserFactory(profile, gold, describe, (DUNE, EMMA), seed)(sample)


def picks(gold: GoldQueries, profile: str, clarification: Clarification, n: int = 40) -> Counter[int | None]:
    found: Counter[int | None] = Counter()
    for seed in range(n):
        someone = user(gold, profile, seed=seed)
        someone.reply(clarification)
        found[someone.said[-1].option] += 1
    return found


def test_the_oracle_picks_the_gold_entity_in_words_and_by_number(gold: GoldQueries) -> None:
    replies = {user(gold, "oracle", seed=seed).reply(WHICH) for seed in range(20)}
    assert replies == {"2", "Dune, novel"}
    assert picks(gold, "oracle", WHICH) == {1: 40}


def test_the_oracle_compares_answers_of_complete_readings(gold: GoldQueries) -> None:
    def option(body: str) -> Option:
        return Option(X + "dune", body, sparql=f"{P}SELECT ?a {{ {body} }}")

    menu = (option(":dune :pages ?a"), option("?b :author ?a . ?b :kind 'novel' FILTER(?b = :dune)"))
    clarification = Clarification("c", "reading", "reading", "Which?", (*menu, option("syntax error")))
    assert picks(gold, "oracle", clarification, 10) == {1: 10}


def test_numbers_that_agree_by_chance_do_not_fit(gold: GoldQueries) -> None:
    def option(body: str) -> Option:
        return Option(X + "dune", body, sparql=f"{P}SELECT (COUNT(?a) AS ?n) {{ {body} }}")

    count = Sample("3", "How many authors has Dune?", P + "SELECT (COUNT(?a) AS ?n) { :dune :author ?a }")
    menu = Clarification("c", "reading", "reading", "?", (option(":dune :pages ?a"), option(":dune :author ?a")))
    for seed in range(8):
        someone = user(gold, "oracle", count, seed)
        someone.reply(menu)
        assert someone.said[0].option == 1


def test_the_oracle_picks_an_intent_by_its_predicate(gold: GoldQueries) -> None:
    options = tuple(
        Option(X + "emma", p, path=p, sparql=f"{P}SELECT ?a {{ :emma :{p} ?a }}") for p in ("pages", "author")
    )
    clarification = Clarification("c", "intent", "intent", "What about Emma?", options)
    assert picks(gold, "oracle", clarification, 10) == {1: 10}
    by_iri = Clarification("c", "i", "intent", "?", (Option(X + "pages", "pages"), Option(X + "author", "author")))
    assert picks(gold, "oracle", by_iri, 10) == {1: 10}


def test_the_oracle_says_that_nothing_fits(gold: GoldQueries) -> None:
    someone = user(gold, "oracle")
    assert someone.reply(Clarification("c", "e", "entity", "Which?", (FILM,))) == "none of these"
    assert someone.said[0].kind == "none" and someone.said[0].bits == 1


def test_bits(gold: GoldQueries) -> None:
    someone = user(gold, "oracle")
    someone.reply(Clarification("c", "e", "entity", "Which?", (FILM, BOOK, FILM)))
    assert someone.said[0].bits == 2


def test_without_options_the_gold_entity_is_named(gold: GoldQueries) -> None:
    bare = Clarification("c", "e", "entity", "What do you mean?", ())
    assert user(gold, "oracle").reply(bare) == "I mean Dune"
    unnamed = Sample("3", "?", P + "SELECT ?a { :unnamed :author ?a }")
    assert user(gold, "oracle", unnamed).reply(bare) == "you decide"


def test_an_intended_entity_is_enough(gold: GoldQueries) -> None:
    nothing_runs = Sample("3", "?", P + "SELECT ?a { :dune2 :unknown ?a }", ("x",), intended=X + "dune2")
    someone = user(gold, "oracle", nothing_runs)
    someone.reply(WHICH)
    assert someone.said[0].option == 0


def test_noise(gold: GoldQueries) -> None:
    three = Clarification("c", "e", "entity", "Which?", (FILM, BOOK, Option(X + "emma", "Emma")))
    found = picks(gold, "noisy:0.5", three, 200)
    assert 70 < found[1] < 130 and found[0] > 25 and found[2] > 25
    assert picks(gold, "noisy:0", three) == {1: 40}
    assert picks(gold, "noisy:1", WHICH) == {0: 40}
    only = Clarification("c", "e", "entity", "Which?", (BOOK,))
    assert picks(gold, "noisy:1", only, 5) == {None: 5}


def test_other_profiles(gold: GoldQueries) -> None:
    assert user(gold, "silent").reply(WHICH) is None
    assert user(gold, "lazy").reply(WHICH) == "you decide"
    assert user(gold, "vague").reply(WHICH) == "the novel"
    assert user(gold, "contradicting").reply(WHICH) == "Dune, film. No, sorry: Dune, novel"
    off = user(gold, "out-of-scope")
    assert off.reply(WHICH) and off.said[0].kind == "out_of_scope"


def test_random_gold_answers_from_another_item(gold: GoldQueries) -> None:
    options = (BOOK, Option(X + "emma", "Emma"))
    someone = user(gold, "random-gold")
    someone.reply(Clarification("c", "e", "entity", "Which?", options))
    assert someone.said[0].option == 1
    with pytest.raises(ConfigError, match="at least two"):
        UserFactory("random-gold", gold, describe, (DUNE,))(DUNE)


def test_the_text_oracle_reads_labels_and_descriptions_only(gold: GoldQueries) -> None:
    told = (Option("", "Dune", "film", "film of 1984"), Option("", "Dune", "novel", "novel by Frank Herbert"))
    assert picks(gold, "text", Clarification("c", "e", "entity", "Which?", told), 10) == {1: 10}
    assert picks(gold, "text", Clarification("c", "e", "entity", "?", (Option(X + "dune", "Q1"),)), 2) == {None: 2}


def test_choices_depend_on_seed_and_sample_alone(gold: GoldQueries) -> None:
    first, again = (user(gold, "noisy:0.5", seed=3) for _ in range(2))
    assert [first.reply(WHICH) for _ in range(5)] == [again.reply(WHICH) for _ in range(5)]
    assert first.said == again.said


@pytest.mark.parametrize("profile", ["nobody", "noisy", "noisy:2", "noisy:x", "oracle:1"])
def test_unknown_profiles(gold: GoldQueries, profile: str) -> None:
    with pytest.raises(ConfigError, match=f"--user {profile}"):
        user(gold, profile)


def test_shuffling_keeps_the_mapping() -> None:
    for seed in range(10):
        shown, order = shuffled(WHICH, Random(seed))
        for at, option in enumerate(shown.options):
            assert WHICH.options[int(unshuffled(str(at + 1), order) or 0) - 1] == option
    assert unshuffled("the film", (1, 0)) == "the film"
    assert unshuffled("9", (1, 0)) == "9"
    assert unshuffled(None, (1, 0)) is None


def test_wording_tells_options_apart() -> None:
    assert wording(BOOK, (FILM, BOOK)) == "Dune, novel"
    assert wording(BOOK, (BOOK, Option("", "Emma"))) == "Dune"
    same = Option("", "Dune", "novel")
    assert wording(BOOK, (BOOK, same)) == BOOK.line()


def test_the_model_user_sees_words_and_no_iri(gold: GoldQueries) -> None:
    need = need_of(DUNE, gold.gold(DUNE), describe)
    assert "http" not in meaning(need) and "herbert" not in meaning(Need("Q?", need.answers)).lower()
    model = FakeListChatModel(responses=["\n 1\nbecause", "OUT OF SCOPE."])
    someone = ModelUser(model, need, Random(0))
    shown, order = shuffled(WHICH, Random(0))
    assert someone.reply(WHICH) == str(order[0] + 1) and len(shown.options) == 2
    someone.reply(WHICH)
    assert [s.kind for s in someone.said] == ["text", "out_of_scope"]


def test_needs_without_a_readable_query() -> None:
    need = need_of(Sample("1", "Q?", "broken {"), Gold((), "broken"), describe)
    assert need.nodes == () and need.form == "select"
