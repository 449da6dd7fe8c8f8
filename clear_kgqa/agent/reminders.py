"""What a model is told once per question: to ask where a hint orders it, to run a query, to check it."""

from __future__ import annotations

import json
from typing import Any

from clear_kgqa.agent.state import AgentState
from clear_kgqa.agent.toolbox import Toolbox
from clear_kgqa.agent.verify import counted, form_fault, verification
from clear_kgqa.settings import Settings
from clear_kgqa_tools.errors import ClearKgqaError

ASK, RUN, CHECK = "ask", "run", "check"


class Reminders:
    """Each reminder is given at most once per question; `state["reminded"]` holds which were."""

    def __init__(self, settings: Settings, toolbox: Toolbox) -> None:
        self._settings, self._toolbox = settings, toolbox

    def before_query(self, state: AgentState) -> str:
        """Why a query is not run now: a question that changes the answer is open. Empty where it is run."""
        ask = _open_question(state)
        if ask is None or not self._settings.remind or ASK in state["reminded"]:
            return ""
        return f"Not run: the answer depends on what the user means. {_order(ask)}"

    def after_words(self, state: AgentState) -> tuple[str, str] | None:
        """(name, text) of what a model that stopped calling tools is told, if anything."""
        told, ask, executed = state["reminded"], _open_question(state), state["executed"]
        if ask is not None and not executed and self._settings.remind and ASK not in told:
            return ASK, _order(ask)
        if not executed and RUN not in told and not (state["assessment"] or {}).get("failure"):
            return RUN, (
                "No query was run, so there is no answer yet: words are not one. Run the query with ExecuteSPARQL. "
                "If the graph does not hold the answer, say so again in one sentence."
            )
        ran = counted(executed)
        if ran is None or CHECK in told:
            return None
        return self._check(state["question"], ran)

    def _check(self, question: str, ran: dict[str, Any]) -> tuple[str, str] | None:
        try:
            execution = self._toolbox.execution(ran["sparql"])
        except ClearKgqaError:
            return None  # it ran before; what is wrong now is told when the answer is made
        if self._settings.verify:
            return CHECK, verification(question, execution)
        fault = form_fault(question, execution)
        return (CHECK, f"{fault} Run that with ExecuteSPARQL.") if fault else None


def _open_question(state: AgentState) -> dict[str, Any] | None:
    """The clarification that the policy wants and that was not put yet."""
    ask: dict[str, Any] | None = (state["assessment"] or {}).get("ask")
    return ask


def _order(ask: dict[str, Any]) -> str:
    options = [o["iri"] for o in ask["options"]]
    arguments = json.dumps({"text": ask["question"], "options": options}, ensure_ascii=False)
    return f"Call AskForClarification first, with {arguments}."
