"""Other memory servers and libraries, asked what FirmMem is asked, in the way their public interface offers."""

from benching.peers import cpersona, graphs, kb_sqlite, rfm

PEERS = (graphs.SERVER_MEMORY, graphs.LIBSQL, cpersona.PEER, kb_sqlite.PEER, rfm.PEER)
