-- Reminders on paper.

-- when the newest slip that names the loan was printed
ALTER TABLE loans ADD COLUMN slip_at INTEGER;
