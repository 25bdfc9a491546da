"""Ranking keys follow the settings of the process that serves, a chunk at a time."""

import logging
import time

import anyio

from firmmem.errors import UnavailableError
from firmmem.memory.rows.ranking_keys import begin_rekey, keys_are_current, rekey_chunk
from firmmem.store.database import Database
from firmmem.upkeep.held import pause

log = logging.getLogger(__name__)


async def bring_keys_up_to_date(database: Database) -> None:
    """Bring the file's ranking keys to this process's half-lives; until then it ranks without them."""
    try:
        if await database.read(keys_are_current, database.settings):
            return  # as at almost every start, and then nobody waits for this one
        if not await database.write(begin_rekey, database.settings):
            return
        more = True
        while more:
            began = time.perf_counter()
            more = await database.write(rekey_chunk, database.settings)
            await anyio.sleep(pause(time.perf_counter() - began))
    except UnavailableError as error:
        log.warning("ranking keys stay as they are: %s", error)
