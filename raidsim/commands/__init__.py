"""The commands of ``raidsim``: a module for each verb that users type, or for a group of them.

Every large import is inside the function that needs it, so that ``raidsim --help`` is immediate.
What commands share is in :mod:`raidsim.commands.options`.
"""
