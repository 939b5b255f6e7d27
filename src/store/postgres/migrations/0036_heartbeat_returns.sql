-- As in SQLite (0038_heartbeat_returns.sql), by the trigger of functions/webhooks.sql.

-- Functions: 560b5d3c98a69e9a
