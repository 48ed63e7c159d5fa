"""The scripts, styles, fonts and drawings of pages, as files that browsers may cache for ever."""
