"""What agents' hooks call: one short process an event, with a time limit, a token budget and a record of what it gave.

It imports almost nothing: no pydantic, typer, rich, mcp or numpy.
"""
