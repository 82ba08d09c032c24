-- Who asks who is inside now asks for visits without an end. Those by day have ended, all of them, and need not be read.

ALTER TABLE beacons.visit_day ADD CONSTRAINT visit_day_ended CHECK (left_at IS NOT NULL);
