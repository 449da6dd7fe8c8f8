"""The tools as models are told of them."""

from __future__ import annotations

import json

from clear_kgqa.agent.tool_specs import SEARCH_NODES, checked, tool_schemas


def test_no_greatest_length_is_sent_but_it_is_checked() -> None:
    assert "maxLength" not in json.dumps(tool_schemas())
    assert isinstance(checked(SEARCH_NODES, {"name": "x" * 5001}), str)
    assert not isinstance(checked(SEARCH_NODES, {"name": "x" * 5000}), str)
