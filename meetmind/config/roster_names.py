"""The names of the five roles, in the order that holds everywhere."""

AGENT_NAMES = ["architect", "backend", "frontend", "tester", "product_manager"]
ASSISTANT_NAME = "assistant"
