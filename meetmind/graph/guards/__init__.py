"""Rules against what spoils discussions: pure functions over the utterances of a run."""
