"""The MCP server as a process of its own, spoken to by the protocol's own client."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from clear_kgqa.cli import main
from tests.clear_kgqa.cli.conftest import Run, command, variables

pytest.importorskip("mcp")

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

E = "http://example.org/"
Talk = Callable[[ClientSession], Awaitable[None]]


def talk(to: Talk, *more: str) -> None:
    """Start the server and speak to it."""
    first, *rest = command("mcp", "--kg", "towns", *more)

    async def run() -> None:
        server = StdioServerParameters(command=first, args=rest, env=variables())
        async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
            await session.initialize()
            await to(session)

    asyncio.run(asyncio.wait_for(run(), 60))


async def said(session: ClientSession, tool: str, **arguments: str) -> tuple[str, bool]:
    """The text of a call's result, and whether it is an error."""
    result = await session.call_tool(tool, arguments)
    return "\n".join(str(getattr(part, "text", "")) for part in result.content), bool(result.is_error)


async def told(session: ClientSession, tool: str, **arguments: str) -> dict[str, Any]:
    text, failed = await said(session, tool, **arguments)
    assert not failed, text
    found: dict[str, Any] = json.loads(text)
    return found


def test_the_graph_is_searched_and_queried_and_nothing_else_can_be_done() -> None:
    async def to(session: ClientSession) -> None:
        tools = {tool.name: tool for tool in (await session.list_tools()).tools}
        assert list(tools) == ["SearchNodes", "SearchGraphPattern", "ExecuteSPARQL", "ask", "reply"]
        assert all(tool.annotations and tool.annotations.read_only_hint for tool in tools.values())
        assert tools["SearchNodes"].input_schema["required"] == ["name"]
        assert "options" in (tools["ask"].description or "")
        nodes, _ = await said(session, "SearchNodes", name="Oakvale")
        assert f'"iri": "<{E}c>"' in nodes
        patterns, _ = await said(session, "SearchGraphPattern", sparql=f"VALUES ?e {{ <{E}c> }}", semantic="mayor")
        assert f"<{E}mayor>" in patterns
        rows, _ = await said(session, "ExecuteSPARQL", sparql=f"SELECT ?x {{ <{E}c> <{E}mayor> ?x }}")
        assert f"<{E}m> (Bo" in rows and "\x9b" not in rows and "\u202e" not in rows
        for refused in ("DROP ALL", "SELECT * { SERVICE <http://127.0.0.1:9/> { ?s ?p ?o } }", "SELECT"):
            text, failed = await said(session, "ExecuteSPARQL", sparql=refused)
            assert failed and "ERROR: " in text, text
        many, _ = await said(session, "ExecuteSPARQL", sparql="SELECT * { ?a ?b ?c . ?d ?e ?f }")
        assert len(many) < 20_000

    talk(to)


def test_a_question_is_answered_or_comes_back_as_a_clarification_and_is_never_guessed() -> None:
    async def to(session: ClientSession) -> None:
        found = await told(session, "ask", question="What is the population of Oakvale?")
        assert (found["status"], found["answer"]["values"][0]["literal"]) == ("answered", "300")
        assert f"<{E}population>" in found["sparql"]
        nothing = await told(session, "ask", question="Who painted the moon?")
        assert nothing["status"] == "no_answer" and nothing["reason"]
        question = "What is the population of Springfield?"
        asked = await told(session, "ask", question=question)
        assert asked["status"] == "clarification" and "answer" not in asked
        descriptions = [o.get("description") for o in asked["options"]]
        assert {"town in the north", "town in the south"} <= set(descriptions)
        south = asked["options"][descriptions.index("town in the south")]["number"]
        found = await told(session, "reply", conversation=asked["conversation"], text=str(south))
        assert (found["status"], found["answer"]["values"][0]["literal"]) == ("answered", "200")
        text, failed = await said(session, "reply", conversation=asked["conversation"], text="1")
        assert failed and "ask the question again" in text
        again = await told(session, "ask", question=question)
        other = await told(session, "reply", conversation=again["conversation"], text="the one in the north")
        assert other["answer"]["values"][0]["literal"] == "100"

    talk(to)


@pytest.mark.parametrize(
    ("more", "line"),
    [(["--kg", "nope"], "no graph named 'nope'"), (["--kg", "towns", "--strategy", "io"], "--model")],
)
def test_a_graph_or_a_strategy_that_cannot_be_served_ends_with_one_line(
    more: list[str], line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["mcp", *more]) == 2
    shown = capsys.readouterr()
    assert shown.out == "" and line in shown.err and shown.err.count("\n") == 1


def test_without_the_extra_one_line_says_what_to_install(run: Run) -> None:
    done = run("mcp", "--kg", "towns", code="sys.modules['mcp'] = None; sys.exit(main())")
    assert done.returncode == 2
    assert done.stderr == 'clear-kgqa: mcp needs the extra "mcp": pip install "clear-kgqa[mcp]"\n'
