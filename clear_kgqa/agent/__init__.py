"""The LangGraph agent: agent, tools, ambiguity, clarify."""
