"""Ranking keys follow the settings of the process that serves, a chunk at a time."""

import logging

import anyio

from firmmem.database import Database
from firmmem.errors import UnavailableError
from firmmem.memory.keys import begin_rekey, rekey_chunk, trusted

log = logging.getLogger(__name__)

PAUSE = 0.02  # seconds between chunks, in which others write


async def rekey(database: Database) -> None:
    """Bring the file's ranking keys to this process's half-lives; until then it ranks without them."""
    try:
        if await database.read(trusted, database.settings):
            return  # as at almost every start, and then nobody waits for this one
        if not await database.write(begin_rekey, database.settings):
            return
        more = True
        while more:
            more = await database.write(rekey_chunk, database.settings)
            await anyio.sleep(PAUSE)
    except UnavailableError as error:
        log.warning("ranking keys stay as they are: %s", error)
