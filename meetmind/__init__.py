"""MeetMind: a meeting room in which five roles discuss a requirement."""
