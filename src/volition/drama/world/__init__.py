"""What is: people, rooms, secrets, and the state of an evening."""
