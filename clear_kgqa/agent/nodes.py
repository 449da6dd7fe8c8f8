"""The steps of the agent graph: agent, tools, ambiguity, clarify, finish."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langgraph.runtime import get_runtime
from langgraph.types import interrupt

from clear_kgqa.agent import mention_json
from clear_kgqa.agent.answer import answered, interpretation_of, is_empty
from clear_kgqa.agent.context import REMINDER
from clear_kgqa.agent.given import GivenReader
from clear_kgqa.agent.offline_planner import OfflinePlanner
from clear_kgqa.agent.reminders import ASK, CHECK, Reminders
from clear_kgqa.agent.state import AgentState
from clear_kgqa.agent.streaming import Deltas
from clear_kgqa.agent.tool_specs import ASK_FOR_CLARIFICATION, EXECUTE_SPARQL, SEARCH_NODES, reply_told, tool_schemas
from clear_kgqa.agent.toolbox import Toolbox, ToolResult
from clear_kgqa.agent.usage import usage
from clear_kgqa.agent.verify import counted
from clear_kgqa.ambiguity.evidence import Settled
from clear_kgqa.ambiguity.menus import node_option
from clear_kgqa.ambiguity.plugin import AmbiguityPlugin, Assessment
from clear_kgqa.clarification import Clarification
from clear_kgqa.events import Event, Failed, FailureKind, Observation, Replied, Thought, ToolCall
from clear_kgqa.readings.mentions import Mention
from clear_kgqa.readings.reader import Reader
from clear_kgqa_tools.errors import LimitExceeded, QueryError

SAME_CALL = 3  # how often one call may be made before the turn is stopped


class AgentSteps:
    """The nodes of the graph over one bundle. `plugin` is None for strategies without scores, hints and policy."""

    def __init__(
        self,
        model: BaseChatModel,
        toolbox: Toolbox,
        reader: Reader,
        plugin: AmbiguityPlugin | None,
        asking: bool,
        steps: int,
        silent: bool,
        reminders: Reminders | None = None,
    ) -> None:
        self.model = model.bind_tools(tool_schemas(asking))
        self._explains = isinstance(model, OfflinePlanner)
        self.toolbox, self.reader, self.plugin = toolbox, reader, plugin
        self._listener = plugin or AmbiguityPlugin(reader, toolbox.settings)
        self.asking, self.steps, self.silent, self.reminders = asking, steps, silent, reminders
        deltas = [Deltas(lambda text: emit(Thought(text, True)))] if toolbox.settings.streaming else []
        self._streaming: Any = {"callbacks": deltas}

    def agent(self, state: AgentState) -> dict[str, Any]:
        """One turn of the model."""
        if state["steps"] >= self.steps:
            return {"end": {"kind": "steps", "reason": f"The model took {self.steps} steps without an answer."}}
        tokens = state.get("tokens", 0)
        if end := self._overspent(tokens):
            return {"end": end}
        message = self.model.invoke(state["messages"], self._streaming)
        if message.usage_metadata:
            emit(usage(message.usage_metadata, self.toolbox.settings))
            tokens += message.usage_metadata["total_tokens"]
        text = _text(message)
        if text and message.tool_calls and not self.toolbox.settings.streaming:
            emit(Thought(text))
        calls = dict(state["calls"])
        for call in message.tool_calls:
            emit(ToolCall(call["id"] or "", call["name"], call["args"]))
            key = call["name"] + json.dumps(call["args"], sort_keys=True, ensure_ascii=False)
            calls[key] = calls.get(key, 0) + 1
        end = None
        if max(calls.values(), default=0) > SAME_CALL:
            end = {"kind": "steps", "reason": "The model repeated one call and was stopped."}
        reminder = self.reminders.after_words(state) if self.reminders and not message.tool_calls else None
        if reminder:
            told = HumanMessage(reminder[1], name=REMINDER)
            return {
                "messages": [message, told],
                "steps": state["steps"] + 1,
                "tokens": tokens,
                "reminded": [*state["reminded"], reminder[0]],
            }
        return {"messages": [message], "steps": state["steps"] + 1, "tokens": tokens, "calls": calls, "end": end}

    def _overspent(self, tokens: int) -> dict[str, Any] | None:
        """How a turn ends whose model has used up the budget of the question."""
        budget = self.toolbox.settings.token_budget
        if budget is None or tokens < budget:
            return None
        return {"kind": "limit", "reason": f"The model took {tokens:,} tokens; token_budget allows {budget:,}."}

    def tools(self, state: AgentState) -> dict[str, Any]:
        """Run every call of the last message but AskForClarification, which has a node of its own."""
        mentions, executed, reminded = (
            list(state["mentions"]),
            list(state["executed"]),
            list(state["reminded"]),
        )
        out: list[AnyMessage] = []
        for call in _calls(state, ASK_FOR_CLARIFICATION, False):
            result = self._withheld(state, call) or self.toolbox.run(call["name"], call["args"])
            emit(Observation(call["id"] or "", call["name"], result.text, result.data))
            out.append(_observation(call, result))
            if call["name"] == SEARCH_NODES and not result.failed and not isinstance(self.reader, GivenReader):
                found = self._mention(call["args"]["name"], result, state["question"])
                mentions = [m for m in mentions if m["name"] != call["args"]["name"]] + found
            if result.kind == ASK:
                reminded.append(ASK)
            elif call["name"] == EXECUTE_SPARQL:
                sparql = str(call["args"].get("sparql", ""))
                empty = not result.failed and is_empty(self.toolbox.execution(sparql))
                executed.append(
                    {
                        "sparql": sparql,
                        "failed": result.failed,
                        "kind": result.kind,
                        "text": result.text[:500],
                        "empty": empty,
                        "checking": CHECK in reminded,
                    }
                )
        return {"messages": out, "mentions": mentions, "executed": executed, "reminded": reminded}

    def _withheld(self, state: AgentState, call: Any) -> ToolResult | None:
        """A query is held back, once, while a question that changes the answer is open and not being asked."""
        if self.reminders is None or call["name"] != EXECUTE_SPARQL or _calls(state, ASK_FOR_CLARIFICATION, True):
            return None
        reason = self.reminders.before_query(state)
        return ToolResult(reason, failed=True, kind=ASK) if reason else None

    def _mention(self, name: str, result: ToolResult, question: str) -> list[dict[str, Any]]:
        nodes = [mention_json.node_from_json(n) for n in result.data]
        found = mention_json.searched(name, nodes, question, self.reader.mentions(question))
        return [mention_json.to_json(found)] if found else []

    def ambiguity(self, state: AgentState) -> dict[str, Any]:
        """Score the readings of what was searched and append the hint to the last observation."""
        last = state["messages"][-1]
        if self.plugin is None or not isinstance(last, ToolMessage) or state["executed"]:
            return {}
        assessment = self._assess(state)
        hint = hint_text(assessment)
        key = [len(state["mentions"]), len(state["settled"])]
        if key != state["scored"]:
            emit(replace(assessment.scored, hint=hint))
        data = {"data": last.artifact, "assessment": assessment.to_json()}
        hinted = last.model_copy(
            update={"content": f"{last.content}\n\n{hint}" if hint else last.content, "artifact": data}
        )
        return {"messages": [hinted], "assessment": assessment.to_json(), "scored": key}

    def _assess(self, state: AgentState) -> Assessment:
        assert self.plugin is not None
        settled = [Settled.from_json(s) for s in state["settled"]]
        silent = self.silent or not self.asking or self._asked_enough(state)
        return self.plugin.assess(state["question"], _mentions(state), settled, state["asked"], silent)

    def _asked_enough(self, state: AgentState) -> bool:
        """Whether the questions of this turn or of the whole session are used up."""
        settings = self.toolbox.settings
        ever = state.get("asked_ever", 0)
        return state["asked"] >= settings.asks_per_turn or ever >= settings.asks_per_session

    def clarify(self, state: AgentState) -> dict[str, Any]:
        """Put one question to the user, again where the reply fits no option, and bind the reply; runs again from its
        start on resume, so nothing precedes an interrupt but pure look-ups."""
        call, *others = _calls(state, ASK_FOR_CLARIFICATION, True)
        closed = [_observation(c, ToolResult("One question at a time.", failed=True)) for c in others]
        question = self._clarification(state, call["args"])
        if isinstance(question, str):
            return {"messages": [*closed, _observation(call, ToolResult(question, failed=True))]}
        reply: str | None = interrupt(question.to_json())["reply"]
        again, times = question, 1
        while put := self._listener.asked_again(again, reply, _mentions(state), state["asked"] + 1):
            again, times = put, 2
            reply = interrupt(again.to_json())["reply"]
        result, settled = self._understood(state, question, reply)
        return {
            "messages": [*closed, _observation(call, result)],
            "asked": state["asked"] + times,
            "asked_ever": state.get("asked_ever", 0) + times,
            "settled": [*state["settled"], settled.to_json()],
        }

    def _understood(self, state: AgentState, question: Clarification, reply: str | None) -> tuple[ToolResult, Settled]:
        meant, settled = self._listener.understand(question, reply, _mentions(state), state["question"])
        chosen = tuple(question.options[i] for i in meant.chosen)
        emit(Replied(question.id, meant.text, meant.kind, tuple(o.label for o in chosen), meant.chosen))
        bound = [o.iri for o in chosen] or ([settled.entity] if settled.entity else [])
        text, told = reply_told(meant.text, meant.kind, [(o.iri, o.label) for o in chosen])
        return ToolResult(text, {**told, "bound": bound}), settled

    def _clarification(self, state: AgentState, arguments: dict[str, Any]) -> Clarification | str:
        """The question to put: the policy's own, else (without a plugin) the model's with options found in the graph."""
        if self.plugin is not None:
            ask = (state["assessment"] or {}).get("ask")
            if ask:
                return Clarification.from_json(ask)
            return "No question is needed: the readings left do not differ enough to be worth one. Go on with the most probable."
        if self._asked_enough(state):
            return "The user is asked no more. Go on with the most probable reading."
        named = {str(o).casefold() for o in arguments.get("options") or []}
        nodes = [n for m in _mentions(state) for n in m.nodes]
        picked = [n for n in nodes if n.iri.casefold() in named or n.label.casefold() in named][:5]
        if not named or not picked:
            return "Search the nodes first, then offer their IRIs as options."
        text = str(arguments.get("text") or "Which do you mean?")
        return Clarification(f"c{state['asked'] + 1}", "model", "entity", text, tuple(node_option(n) for n in picked))

    def finish(self, state: AgentState) -> dict[str, Any]:
        """Turn the last query that ran into the answer, or say why there is none."""
        event = self._outcome(state)
        emit(event)
        return {"end": state["end"] or {"kind": "done", "reason": ""}}

    def _outcome(self, state: AgentState) -> Event:
        tried = tuple(e["sparql"] for e in state["executed"])
        end, assessment = state["end"], state["assessment"]
        ran = counted(state["executed"])
        if end is not None and ran is None:
            return Failed(end["kind"], end["reason"], tried)
        if ran is None:
            return self._no_query(state, tried)
        try:
            execution = self.toolbox.execution(ran["sparql"])
        except (QueryError, LimitExceeded) as error:
            return Failed("limit", str(error), tried)
        iris = [t.value for row in execution.result.rows[:2000] for t in row if t is not None and t.kind == "iri"]
        nodes = self.toolbox.describe(list(dict.fromkeys(iris)))
        line = interpretation_of(ran["sparql"], assessment, {i: n.label for i, n in nodes.items()})
        if is_empty(execution):
            missing = "; ".join(f"<{iri}> is not in the graph" for iri in execution.missing)
            return Failed(
                "empty",
                "The query found nothing" + (f": {missing}." if missing else " in the graph."),
                tried,
                line,
            )
        return answered(execution, line, nodes, self.toolbox.bundle.schema)

    def _no_query(self, state: AgentState, tried: tuple[str, ...]) -> Failed:
        failure = (state["assessment"] or {}).get("failure")
        if failure:
            return Failed(failure[0], failure[1], tried)
        broken = next((e for e in reversed(state["executed"]) if e["failed"]), None)
        if broken:
            kinds: dict[str, FailureKind] = {"limit": "limit", "endpoint": "endpoint"}
            return Failed(kinds.get(broken["kind"], "not_understood"), broken["text"], tried)
        # The planner says why; what a language model says here is from memory, and no answer.
        said = _text(state["messages"][-1]) if self._explains else ""
        return Failed("not_understood", said or "The model gave no query; nothing was run.", tried)


def hint_text(assessment: Assessment) -> str:
    """The hint for the model: imperative, and only where something follows from it."""
    if assessment.ask is not None:
        options = "; ".join(f"<{o.iri}> {o.label}" for o in assessment.ask.options)
        return (
            f"HINT: the answer depends on what is meant by this {assessment.ask.kind}. Call AskForClarification now with "
            f"text {json.dumps(assessment.ask.question, ensure_ascii=False)} and these options: {options}"
        )
    return f"HINT: {assessment.failure[1]}" if assessment.failure else ""


def emit(event: Event) -> None:
    """Send an event to whoever reads the session."""
    runtime: Any = get_runtime()
    told = runtime.context.told
    (runtime.stream_writer if told is None else told.append)(event)


def _text(message: AnyMessage) -> str:
    content = message.content
    return content if isinstance(content, str) else " ".join(c.get("text", "") for c in content if isinstance(c, dict))


def _mentions(state: AgentState) -> tuple[Mention, ...]:
    return tuple(mention_json.from_json(m) for m in state["mentions"])


def _calls(state: AgentState, name: str, same: bool) -> list[Any]:
    """The open calls of the last model message, those of one tool or those of all the others."""
    message = next(m for m in reversed(state["messages"]) if isinstance(m, AIMessage))
    done = {m.tool_call_id for m in state["messages"] if isinstance(m, ToolMessage)}
    return [c for c in message.tool_calls if (c["name"] == name) is same and c["id"] not in done]


def _observation(call: Any, result: ToolResult) -> ToolMessage:
    return ToolMessage(
        result.text,
        tool_call_id=call["id"],
        name=call["name"],
        artifact=result.data,
        id=f"observation-{call['id']}",
        status="error" if result.failed else "success",
    )
