"""What the file tools are made of: paths, texts, changes, searches."""
