-- Guards: what no program may do to the ledgers and the shelves, whatever SQL it sends. A connection says with
-- by_person() who it works for; a program that lacks the function can do none of what only a person may.

-- Ledgers. A row goes with its memory (purge, or a person who erases it: by then the memory is gone), or by a person's
-- command, which may also empty what was said in it (erase). Nothing else of a row ever changes.
CREATE TRIGGER vote_delete BEFORE DELETE ON vote WHEN EXISTS (SELECT 1 FROM memory WHERE id = old.memory) BEGIN
    SELECT raise(ABORT, 'the trust ledger is only added to') WHERE NOT by_person();
END;

CREATE TRIGGER vote_replace BEFORE INSERT ON vote WHEN EXISTS (SELECT 1 FROM vote WHERE id = new.id) BEGIN
    SELECT raise(ABORT, 'the trust ledger is only added to');
END;

DROP TRIGGER vote_append_only;

CREATE TRIGGER vote_append_only BEFORE UPDATE ON vote BEGIN
    SELECT raise(ABORT, 'the trust ledger is only added to') WHERE NOT (
        by_person() AND new.note IN ('', old.note)
        AND (new.id, new.memory, new.at, new.client, new.session, new.outcome, new.trust_before, new.trust_after)
            IS (old.id, old.memory, old.at, old.client, old.session, old.outcome, old.trust_before, old.trust_after)
    );
END;

CREATE TRIGGER revocation_delete BEFORE DELETE ON revocation
WHEN EXISTS (SELECT 1 FROM vote WHERE id = old.vote) BEGIN
    SELECT raise(ABORT, 'the trust ledger is only added to') WHERE NOT by_person();
END;

-- A vote is taken back once: a second time is ignored, as an import that was done before needs it.
CREATE TRIGGER revocation_replace BEFORE INSERT ON revocation
WHEN EXISTS (SELECT 1 FROM revocation WHERE vote = new.vote) BEGIN
    SELECT raise(IGNORE);
END;

DROP TRIGGER revocation_append_only;

CREATE TRIGGER revocation_append_only BEFORE UPDATE ON revocation BEGIN
    SELECT raise(ABORT, 'the trust ledger is only added to') WHERE NOT (
        by_person() AND new.reason IN ('', old.reason)
        AND (new.vote, new.at, new.trust_before, new.trust_after)
            IS (old.vote, old.at, old.trust_before, old.trust_after)
    );
END;

CREATE TRIGGER move_delete BEFORE DELETE ON move WHEN EXISTS (SELECT 1 FROM memory WHERE id = old.memory) BEGIN
    SELECT raise(ABORT, 'the ledger of moves is only added to') WHERE NOT by_person();
END;

CREATE TRIGGER move_replace BEFORE INSERT ON move WHEN EXISTS (SELECT 1 FROM move WHERE id = new.id) BEGIN
    SELECT raise(ABORT, 'the ledger of moves is only added to');
END;

DROP TRIGGER move_append_only;

CREATE TRIGGER move_append_only BEFORE UPDATE ON move BEGIN
    SELECT raise(ABORT, 'the ledger of moves is only added to') WHERE NOT (
        by_person() AND new.reason IN ('', old.reason) AND new.was_reason IN ('', old.was_reason)
        AND (new.id, new.memory, new.at, new.run, new.cause, new.from_tier, new.to_tier)
            IS (old.id, old.memory, old.at, old.run, old.cause, old.from_tier, old.to_tier)
        AND (new.from_shelf, new.to_shelf, new.was_at, new.was_cause)
            IS (old.from_shelf, old.to_shelf, old.was_at, old.was_cause)
    );
END;

CREATE TRIGGER quarantine_delete BEFORE DELETE ON quarantine
WHEN EXISTS (SELECT 1 FROM memory WHERE id = old.memory) BEGIN
    SELECT raise(ABORT, 'reasons of quarantine are only added') WHERE NOT by_person();
END;

CREATE TRIGGER quarantine_replace BEFORE INSERT ON quarantine
WHEN EXISTS (SELECT 1 FROM quarantine WHERE id = new.id) BEGIN
    SELECT raise(ABORT, 'reasons of quarantine are only added');
END;

-- Of the log of reviews each memory keeps the latest 64; an older one may go, and none is written twice.
CREATE TRIGGER review_delete BEFORE DELETE ON review
WHEN EXISTS (SELECT 1 FROM memory WHERE id = old.memory)
    AND (SELECT count(*) FROM review WHERE memory = old.memory AND at > old.at) < 64
BEGIN
    SELECT raise(ABORT, 'reviews are only added') WHERE NOT by_person();
END;

CREATE TRIGGER review_replace BEFORE INSERT ON review
WHEN EXISTS (SELECT 1 FROM review WHERE memory = new.memory AND at = new.at) BEGIN
    SELECT raise(IGNORE);
END;

-- Shelves. One keeps its namespace for ever, goes only when it is empty, and counts the core facts that lie on it: a
-- count that says there are none would open the way to all that is refused where there are some.
CREATE TRIGGER shelf_namespace BEFORE UPDATE OF id, namespace ON shelf
WHEN old.core = 0 AND (new.id <> old.id OR new.namespace <> old.namespace) BEGIN
    SELECT raise(ABORT, 'a shelf keeps its namespace');
END;

CREATE TRIGGER shelf_keep BEFORE DELETE ON shelf
WHEN old.core = 0 AND EXISTS (SELECT 1 FROM memory WHERE shelf = old.id) BEGIN
    SELECT raise(ABORT, 'memories lie on this shelf');
END;

CREATE TRIGGER shelf_new BEFORE INSERT ON shelf WHEN new.core <> 0 OR EXISTS (
    SELECT 1 FROM shelf
    WHERE id = new.id OR (namespace = new.namespace AND state = new.state AND branch = new.branch)
) BEGIN
    SELECT raise(ABORT, 'a shelf begins empty, and is never replaced');
END;

-- 999 is the stream of core facts.
CREATE TRIGGER shelf_core AFTER UPDATE OF core ON shelf WHEN new.core <> old.core BEGIN
    SELECT raise(ABORT, 'a shelf counts the core facts that lie on it') WHERE new.core <> (
        SELECT count(*) FROM memory WHERE shelf = new.id AND stream = 999 AND tier = 'core'
    );
END;

-- One update of each shelf, so that its count is right after each.
DROP TRIGGER shelf_update;

CREATE TRIGGER shelf_update AFTER UPDATE OF shelf, tier, length ON memory BEGIN
    UPDATE shelf SET
        core = core - (old.tier = 'core') + (new.tier = 'core' AND new.shelf = old.shelf),
        strategic = strategic - (old.tier = 'strategic') + (new.tier = 'strategic' AND new.shelf = old.shelf),
        validated = validated - (old.tier = 'validated') + (new.tier = 'validated' AND new.shelf = old.shelf),
        draft = draft - (old.tier = 'draft') + (new.tier = 'draft' AND new.shelf = old.shelf),
        words = words - old.length + (new.shelf = old.shelf) * new.length
    WHERE id = old.shelf;
    UPDATE shelf SET
        core = core + (new.tier = 'core'),
        strategic = strategic + (new.tier = 'strategic'),
        validated = validated + (new.tier = 'validated'),
        draft = draft + (new.tier = 'draft'),
        words = words + new.length
    WHERE id = new.shelf AND new.shelf <> old.shelf;
END;
