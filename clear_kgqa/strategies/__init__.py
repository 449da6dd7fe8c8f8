"""Question-answering strategies beside the agent: fixed pipelines and single calls."""
