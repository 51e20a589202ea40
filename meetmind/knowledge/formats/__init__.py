"""One module a file format: bytes in, sections out."""
