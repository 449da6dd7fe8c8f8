"""One call with the ontology in context: ontology text, readable wrapper vocabulary, rewriter."""
