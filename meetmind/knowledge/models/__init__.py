"""Model folders of this installation: made once from the packages, then opened and run."""
