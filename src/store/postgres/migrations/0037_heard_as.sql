-- What an event that resolves an alert is muted by: functions/alerts.sql notes it, functions/claim.sql reads it.

-- Functions: 399c5a4b6ae7e3fa
