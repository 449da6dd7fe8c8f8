"""The chat's commands in Textual's command palette."""

from __future__ import annotations

from functools import partial

from textual.command import DiscoveryHit, Hit, Hits, Provider

from clear_kgqa_tui.commands import COMMANDS


class ChatCommands(Provider):
    """Every command of the table, found by its title."""

    async def discover(self) -> Hits:
        for command in COMMANDS:
            yield DiscoveryHit(
                command.title,
                partial(self.screen.run_action, command.action),
                help=command.key or f"/{command.name}",
            )

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for command in COMMANDS:
            if (score := matcher.match(command.title)) > 0:
                run = partial(self.screen.run_action, command.action)
                yield Hit(score, matcher.highlight(command.title), run, help=command.key or f"/{command.name}")
