"""The observed table: a reading as the engine's table, with people's corrections and labels of earlier readings."""
