"""How tiles lie: side by side, in rows, on racks."""
