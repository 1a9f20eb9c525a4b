"""The families by name."""

from importlib import import_module

NAMES = ("antenna", "battery", "boosting", "kernel", "tables", "wing")


def family(name):
    return import_module(f"families.{name}").FAMILY()
