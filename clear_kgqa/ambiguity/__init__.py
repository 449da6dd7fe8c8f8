"""The ambiguity plugin: scores per slot, menus, the value of asking, hints, and what replies mean."""
