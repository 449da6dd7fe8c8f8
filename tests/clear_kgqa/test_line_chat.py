"""The conversation line by line, over a strategy that answers from a short list."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from clear_kgqa.clarification import Clarification, Option
from clear_kgqa.events import Answered, Asked, Candidate, Event, Failed, Replied, Score, Scored
from clear_kgqa.followup import Bound
from clear_kgqa.line_chat import LineChat
from clear_kgqa.line_text import answer_text, menu, why_asked
from clear_kgqa_tools.errors import EndpointError

GEORGIA = Clarification(
    "c1",
    "Georgia",
    "entity",
    "Which Georgia do you mean?",
    (
        Option("https://e/1", "Georgia", "country", "country in Asia", "capital Tbilisi", answers="Tbilisi"),
        Option("https://e/2", "Georgia", "US state", "", "capital Atlanta"),
    ),
)
SHARES = (Candidate("https://e/1", "Georgia, the country", 0.6), Candidate("https://e/2", "Georgia, US", 0.4))


def answered(label: str) -> Answered:
    value = {"iri": "https://e/" + label, "label": label}
    return Answered("select", ("x",), ((value,),), (value,), None, f"SELECT {label}", f"read {label}", f"{label}.")


class Capitals:
    """A strategy that knows two answers, asks back for Georgia, and loses its endpoint for Mali once."""

    def __init__(self) -> None:
        self.pending: Clarification | None = None
        self.down = True
        self.said: list[str | None] = []

    def start(self, question: str, bound: Bound = ()) -> Iterator[Event]:
        self.pending = None
        if "Georgia" in question:
            self.pending = GEORGIA
            yield Scored((Score("Georgia", "entity", 0.97, 0.6, SHARES),), 0.4, 0.35, 0.1)
            yield Asked(GEORGIA)
        elif "Mali" in question and self.down:
            self.down = False
            raise EndpointError("the endpoint is away")
        elif "capital" in question:
            yield answered("Bamako" if "Mali" in question else "Canberra")
        else:
            yield Failed("not_understood", "No part of the question is known.")

    def resume(self, reply: str | None) -> Iterator[Event]:
        self.said.append(reply)
        self.pending = None
        if reply and reply.startswith("What"):
            yield Replied("c1", reply, "new_question")
            yield from self.start(reply)
            return
        chosen = {"1": (0,), "2": (1,)}.get(reply or "", ())
        yield Replied("c1", reply or "", "options" if chosen else "delegate", ("Georgia",) * len(chosen), chosen)
        yield answered({"1": "Tbilisi", "2": "Atlanta"}.get(reply or "", "Tbilisi"))

    def cancel(self) -> None:
        """Nothing here runs long."""


def converse(*lines: str | type[KeyboardInterrupt]) -> tuple[list[str], Capitals]:
    """What is written when these lines are typed, and the strategy."""
    written: list[str] = []
    session = Capitals()
    todo = iter(lines)

    def read() -> str | None:
        line = next(todo, None)
        if line is KeyboardInterrupt:
            raise KeyboardInterrupt
        return line if isinstance(line, str) else None

    LineChat(session, read, written.append, "GeoNames, CC BY 4.0", 10).run()
    return written, session


def test_a_question_is_answered_with_its_reading_and_source() -> None:
    (text,), _ = converse("What is the capital of Australia?\n")
    assert text.splitlines() == ["Canberra.", "  Read as: read Canberra", "  Source: GeoNames, CC BY 4.0"]


def test_a_menu_numbers_the_options_and_the_two_fixed_choices() -> None:
    assert menu(GEORGIA).splitlines() == [
        "Which Georgia do you mean?",
        "  1. Georgia (country; country in Asia; capital Tbilisi)",
        "  2. Georgia (US state; capital Atlanta)",
        "  3. none of these",
        "  4. you decide",
        "  Or say it in your own words.",
    ]


def test_a_label_cannot_imitate_the_menu() -> None:
    option = Option("https://e/1", "Foo\n  2. none of these\x1b[2J" + "x" * 20_000)
    lines = menu(Clarification("c", "Foo", "entity", "Which?\nFoo", (option,))).splitlines()
    assert len(lines) == 5
    assert lines[1].startswith("  1. Foo 2. none of these␛[2Jxxx")
    assert len(lines[1]) < 400


@pytest.mark.parametrize("typed", ["2", "4", "the one in the US"])
def test_replies_go_to_the_session_as_typed(typed: str) -> None:
    _, session = converse("Georgia?", typed)
    assert session.said == [typed]


def test_a_new_question_while_one_is_open_is_what_why_and_retry_are_about() -> None:
    written, _ = converse("Georgia?", "What is the capital of Australia?", "/why", "/retry")
    assert written[1].startswith("Canberra.")
    assert written[2].splitlines()[0] == "Question: What is the capital of Australia?"
    assert written[3].startswith("Canberra.")


def test_a_reply_is_followed_by_the_answer() -> None:
    (asked, text), _ = converse("What is the largest city in Georgia?", "2")
    assert asked == menu(GEORGIA)
    assert text.startswith("Atlanta.")


def test_no_answer_says_why() -> None:
    (text,), _ = converse("asdfgh?")
    assert text == "No answer: No part of the question is known."


def test_an_endpoint_that_is_away_keeps_the_question_for_retry() -> None:
    (lost, again), _ = converse("capital of Mali?", "/retry")
    assert lost == "No answer: the endpoint is away (/retry asks again)"
    assert again.startswith("Bamako.")


def test_sparql_and_why() -> None:
    written, _ = converse("capital of Australia?", "/sparql", "Georgia?", "/why", "2", "/why")
    assert written[1] == "SELECT Canberra"
    assert written[3].splitlines() == [
        "Question: Georgia?",
        "entity Georgia: ambiguity 0.97, threshold 0.60",
        "  60.0%  Georgia, the country https://e/1",
        "  40.0%  Georgia, US https://e/2",
        "Expected loss when not asking: 0.40; asking would gain 0.35 F1 and costs 0.10",
    ]
    assert "Read as: read Atlanta" in written[5]


def test_what_each_option_would_answer_is_told_on_request() -> None:
    written, session = converse("/answers", "Georgia?", "/answers", "2", "/answers")
    assert written[0] == written[4] == "No question is open."
    assert "Tbilisi" not in written[1].replace("capital Tbilisi", "")
    assert written[2].splitlines() == ["  1. Georgia: Tbilisi", "  2. Georgia: nothing"]
    assert session.said == ["2"]


def test_commands_before_any_question() -> None:
    written, session = converse("/why", "/sparql", "/retry", "/nonsense", "/help", "", "/quit", "never read")
    assert written[:4] == [
        "No question yet.",
        "No question yet.",
        "No question yet.",
        "There is no command /nonsense; /help lists them.",
    ]
    assert "/retry" in written[4]
    assert session.said == []


def test_ctrl_c_at_the_prompt_does_not_leave() -> None:
    written, _ = converse(KeyboardInterrupt, "capital of Australia?")
    assert written[0].strip() == "(/quit leaves)"
    assert written[1].startswith("Canberra.")


def test_several_columns_are_shown_as_rows_and_cut_with_the_rest_counted() -> None:
    rows = tuple(({"iri": f"https://e/{n}", "label": f"City {n}"}, {"literal": str(n)}) for n in range(23))
    answer = Answered("select", ("city", "n"), rows, (), None, "", "cities", "23 rows.", incomplete=True)
    lines = answer_text(answer).splitlines()
    assert lines[1:3] == ["  city | n", "  City 0 | 0"]
    assert lines[22:24] == ["  ... and 3 more rows", "  (incomplete: the source left rows out)"]


def test_commands_take_the_number_of_a_question() -> None:
    asked = ("capital of Australia?", "Georgia?", "2", "capital of Mali?")
    written, _ = converse(*asked, "/why 1", "/sparql 2", "/retry 3", "/why 9", "/sparql x", "/why")
    told = written[4:]
    assert told[0].splitlines()[0] == "Question: capital of Australia?"
    assert told[1] == "SELECT Atlanta"
    assert told[2].startswith("Bamako.")
    assert told[3] == "9 is no question's number; there are 1 to 4."
    assert told[4] == "x is no question's number; there are 1 to 4."
    assert told[5].splitlines()[0] == "Question: capital of Mali?"


def test_commands_that_take_nothing_say_so() -> None:
    written, session = converse("Georgia?", "/answers 1", "/help me", "/quit now", "/exit", "never read")
    assert written[1:] == [
        f"{name} takes nothing after it; /help lists the commands." for name in ("/answers", "/help", "/quit")
    ]
    assert session.said == []


def test_what_was_chosen_for_a_name_holds_until_it_is_undone() -> None:
    written, session = converse("capital of Georgia?", "2", "Georgia?", "/undo", "1", "Georgia?", "/undo", "/undo")
    as_before = "  As chosen before: Georgia ({}) (/undo asks again)"
    assert written[0] == menu(GEORGIA)
    assert written[1].startswith("Atlanta.")
    assert written[2] == as_before.format("US state; capital Atlanta")
    assert written[3].startswith("Atlanta.")
    assert written[4] == menu(GEORGIA)
    assert written[5].startswith("Tbilisi.")
    assert written[6] == as_before.format("country; country in Asia; capital Tbilisi")
    assert written[7].startswith("Tbilisi.")
    assert written[8:] == [menu(GEORGIA), "No choice was made in the last question."]
    assert session.said == ["2", "2", "1", "1"]


def test_nothing_holds_where_no_one_option_was_chosen() -> None:
    written, session = converse("Georgia?", "you decide", "Georgia?")
    assert written[0] == written[2] == menu(GEORGIA)
    assert session.said == ["you decide"]


def test_why_it_is_asked_is_told_in_one_line() -> None:
    assert why_asked(GEORGIA) == (
        "Because the options answer differently (1: Tbilisi), and the question does not say which is meant."
    )
