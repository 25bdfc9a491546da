"""The fingerprint of the schema after each migration: scripts/docs_tables.py computes them, a start compares one."""

FINGERPRINTS = (
    "441fb57c4435223d9c8ba8bbc2380a66",  # 0001
    "0ea73b13a5efa24df3c469a01ec54c57",  # 0002
    "946650e32fb8fb50d9128eac4a6a2e65",  # 0003
    "947a8dac26d5cf6bb978f036003e7028",  # 0004
    "5e767d998ebaccffbe0f68e3c54e1f19",  # 0005
    "6ffe37ecd0b51cf69e1fb40d2edd9dc7",  # 0006
    "32ba041bda17a3fedb22d69c27a7885a",  # 0007
    "aa03d48f7ea4c2bbfbe7aeba8195e2b7",  # 0008
    "0391a3f4748f873470c71a07ad2171ba",  # 0009
    "5e9eb757c89dd7b84d3da1790ee819ac",  # 0010
    "043a9b118a55503a2c3160ca32c4dcc0",  # 0011
    "82f773be4b62a8535be560cf39970414",  # 0012
    "63375f60e39f1397d29aaee5448c9030",  # 0013
    "63375f60e39f1397d29aaee5448c9030",  # 0014
    "62fd1e2726694af9dfc476b939e42430",  # 0015
)
