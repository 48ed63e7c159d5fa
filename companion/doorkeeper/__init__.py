"""Access checks of both web apps, the table's and the hub's: addresses, codes, cookies and other sites.

Each app decides itself who may do what.
"""
