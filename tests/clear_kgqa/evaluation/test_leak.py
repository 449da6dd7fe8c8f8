import pytest

from clear_kgqa.clarification import Clarification, Option
from clear_kgqa.evaluation.leak import leaks

WHICH = Clarification("c", "e", "entity", "Which Dune?", (Option("http://x/1", "Dune", fact="by Frank Herbert"),))


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        ("Dune", []),
        (None, []),
        ("12", []),
        ("it was David Lynch", ["David Lynch"]),
        ("it was DAVID LYNCH!", ["David Lynch"]),
        ("the one by Frank Herbert", []),
        ("412 pages", ["412"]),
        ("4127 pages", []),
        ("yes, true", []),
        ("http://x/secret", ["http://x/secret"]),
        ("wd:Q42 please", ["wd:Q42"]),
        ("SELECT * {", ["SELECT * {"]),
        ("?x author ?y", ["?x author ?y"]),
    ],
)
def test_leaks(reply: str | None, found: list[str]) -> None:
    answers = ["David Lynch", "Frank Herbert", "412", "true", "!"]
    assert leaks(reply, WHICH, "How long is Dune?", answers) == found
