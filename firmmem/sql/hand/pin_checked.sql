-- Note what a store was like when its pins were checked.
INSERT INTO pin_check (id, stamp, model) VALUES (1, :stamp, :model)
ON CONFLICT (id) DO UPDATE SET stamp = excluded.stamp, model = excluded.model
