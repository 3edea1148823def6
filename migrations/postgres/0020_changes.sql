-- Facts about a change that statements ask for, written with it (`Change::about`).
DROP TRIGGER events_are_never_changed ON events;
-- whether it is desk work (R-DESK-12)
ALTER TABLE events ADD COLUMN at_desk BOOLEAN NOT NULL DEFAULT FALSE;
-- whether it names its person, and goes when the person is erased (R-PEOPLE-6); an older server, running until it is
-- replaced, does not say so: its rows go
ALTER TABLE events ADD COLUMN personal BOOLEAN NOT NULL DEFAULT TRUE;
UPDATE events SET at_desk = TRUE
WHERE action IN ('lent', 'returned', 'renewed', 'charged', 'paid', 'waived', 'refunded', 'charge-reversed',
                 'declared-lost', 'copy-moved', 'hold-placed', 'hold-ready', 'hold-cancelled', 'hold-put-back', 'undone');
UPDATE events SET personal = FALSE
WHERE action NOT IN ('registered', 'profile-updated', 'person-added', 'person-updated', 'person-deactivated',
                     'password-set', 'people-merged')
  AND NOT (action = 'undone'
           AND (change LIKE '%"kind":"people-merged"%' OR change LIKE '%"kind":"person-deactivated"%'))
  -- a cancelled hold keeps the reason, such as that of a deactivation
  AND NOT (action IN ('hold-cancelled', 'undone') AND change LIKE '%"kind":"hold-cancelled"%'
           AND change LIKE '%"reason":%');
-- people erased before: the undo of a deactivation and the cancelled holds kept its reason
UPDATE events SET change = '{"v":1,"kind":"erased"}'
WHERE action IN ('undone', 'hold-cancelled') AND personal
  AND person_id IN (SELECT id FROM users WHERE gone_at IS NOT NULL AND name = '');
CREATE TRIGGER events_are_never_changed BEFORE UPDATE ON events FOR EACH ROW
    WHEN (NOT (NEW.id = OLD.id AND NEW.at = OLD.at AND NEW.action = OLD.action
               AND NEW.book_id IS NOT DISTINCT FROM OLD.book_id AND NEW.copy_id IS NOT DISTINCT FROM OLD.copy_id
               AND NEW.at_desk = OLD.at_desk AND NEW.personal = OLD.personal
               AND ((NEW.actor_id IS NOT DISTINCT FROM OLD.actor_id AND NEW.person_id IS NOT DISTINCT FROM OLD.person_id
                     AND NEW.change = '{"v":1,"kind":"erased"}')
                    OR (NEW.person_id IS NULL AND NEW.change = OLD.change
                        AND (NEW.actor_id IS NOT DISTINCT FROM OLD.actor_id
                             OR (NEW.actor_id IS NULL AND OLD.actor_id IS NOT DISTINCT FROM OLD.person_id))))))
    EXECUTE FUNCTION refuse_change_of_events();
