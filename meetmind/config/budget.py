"""What a run may use besides turns."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Budget:
    """What a run may use besides turns; None is no limit."""

    max_tokens: int | None = None
    max_minutes: float | None = None
    """Minutes of work: waiting for a person does not count."""
    max_cost: float | None = None
    """In the currency of the prices in the settings."""
