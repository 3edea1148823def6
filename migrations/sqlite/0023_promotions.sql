-- Promotions of batches: asked for before another one, among all changes of some months.
CREATE INDEX events_of_promotions ON events (at) WHERE action = 'batch-moved';
