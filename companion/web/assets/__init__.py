"""The page's scripts, styles, fonts and drawings as files that browsers may cache for ever."""
