"""The page's scripts, styles, fonts and drawings as files that a browser keeps for ever."""
