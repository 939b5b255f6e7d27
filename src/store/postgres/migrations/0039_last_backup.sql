-- `status` asks for the last backup again and again, and without one it read the whole log.
CREATE INDEX audit_of_backups ON audit (id) WHERE action = 'backup.make';

-- Functions: 57b74b7ecb8e6355
