-- One way to the database counts and accepts what integrators post: functions alone.

-- Functions: 4d174e15575ec189
