from __future__ import annotations

from pathlib import Path

import pytest

from clear_kgqa_finetune.recipe import load_recipe, recipe_names
from clear_kgqa_tools.errors import ConfigError

SHIPPED = [
    "flan-t5-base-sparql", "llama-3.1-8b-agent", "llama-3.1-8b-helper", "llama-3.2-1b", "smollm2-135m-agent",
    "smollm2-135m-helper", "tiny-cpu",
]  # fmt: skip


def test_the_shipped_recipes() -> None:
    assert recipe_names() == SHIPPED


@pytest.mark.parametrize("name", SHIPPED)
def test_each_loads(name: str) -> None:
    recipe = load_recipe(name)
    assert recipe.name == name
    assert (recipe.data is None) == (name == "tiny-cpu")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name: x\nmethod: agent\nbase: b\nlearning_rat: 1", "learning_rat: Extra inputs"),
        ("name: x\nmethod: agent", "base: Field required"),
        ("name: x\nmethod: ppo\nbase: b", "method: Input should be"),
        ("name: [", "while parsing"),
        ("", "file: Input should be"),
    ],
)
def test_a_wrong_recipe_is_one_line(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "recipe.yaml"
    file.write_text(text)
    with pytest.raises(ConfigError, match=message) as error:
        load_recipe(str(file))
    assert "\n" not in str(error.value)


def test_an_unknown_recipe_names_those_there_are() -> None:
    with pytest.raises(ConfigError, match="tiny-cpu"):
        load_recipe("nothing")
