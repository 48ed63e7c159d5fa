"""The sentences of argparse, listed here so that they get into the translation catalogues."""

from tilekeeper.engine.language import gettext_noop, ngettext_noop

SENTENCES = (
    gettext_noop("usage: "),
    gettext_noop("positional arguments"),
    gettext_noop("options"),
    gettext_noop("show this help message and exit"),
    gettext_noop("show program's version number and exit"),
    gettext_noop("the following arguments are required: %s"),
    gettext_noop("unrecognized arguments: %s"),
    gettext_noop("invalid choice: %(value)r (choose from %(choices)s)"),
    gettext_noop("argument %(argument_name)s: %(message)s"),
    gettext_noop("%(prog)s: error: %(message)s\n"),
    gettext_noop("expected one argument"),
    gettext_noop("expected at least one argument"),
    gettext_noop("not allowed with argument %s"),
    gettext_noop("ignored explicit argument %r"),
    ngettext_noop("expected %s argument", "expected %s arguments"),
)
