-- One way to the database counts and accepts what integrators post: functions alone.

-- Functions: 68a331e33bdb3a3d
