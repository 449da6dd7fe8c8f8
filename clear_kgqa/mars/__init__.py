"""MARS: a fixed pipeline of linking, rewriting, ranked graph patterns and a reasoner (methods.md, section 3)."""
