"""The command line: what a person does by hand."""

from firmmem.cli.main import app

__all__ = ["app"]
