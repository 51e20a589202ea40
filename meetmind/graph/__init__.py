"""The discussion as a LangGraph."""
