"""What the app answers, as typed dictionaries: the one description that code, document and tests share."""
