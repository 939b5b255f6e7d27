-- One way to the database counts and accepts what integrators post: functions alone.

-- Functions: df0ead0030845e39
