"""Read, split, embed, search, fuse and rank passages."""
