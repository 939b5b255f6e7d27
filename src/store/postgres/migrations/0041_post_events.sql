-- One way to the database counts and accepts what integrators post: functions alone.

-- Functions: 03426e0326bb4cac
