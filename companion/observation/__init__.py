"""The table as it was read, with the corrections of people and the knowledge of earlier readings."""
