"""What a role can do, and the policy before it."""
