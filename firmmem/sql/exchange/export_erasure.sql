-- How a memory that was erased is known from others.
SELECT alone FROM erasure WHERE memory = :memory
