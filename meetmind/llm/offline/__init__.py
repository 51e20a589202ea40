"""The offline model: answers only with what the passages in its prompt say, word for word."""
