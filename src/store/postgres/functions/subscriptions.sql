CREATE OR REPLACE FUNCTION number_subscription() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF new.number IS NULL THEN
    UPDATE channel SET last_number = last_number + 1 WHERE id = new.channel_id RETURNING last_number INTO new.number;
  END IF;
  RETURN new;
END $$;
CREATE OR REPLACE TRIGGER subscription_is_numbered BEFORE INSERT ON subscription
  FOR EACH ROW EXECUTE FUNCTION number_subscription();

-- Counts subscriptions of existing channels.
CREATE OR REPLACE FUNCTION count_subscription() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND old.active = new.active AND old.route = new.route THEN
    RETURN NULL;
  END IF;
  IF TG_OP <> 'INSERT' AND old.active = 1 THEN
    UPDATE audience SET devices = devices - 1 WHERE channel_id = old.channel_id AND route = old.route;
  END IF;
  IF TG_OP <> 'DELETE' AND new.active = 1 THEN
    INSERT INTO audience (channel_id, route, devices)
    SELECT id, new.route, 1 FROM channel WHERE id = new.channel_id
    ON CONFLICT (channel_id, route) DO UPDATE SET devices = audience.devices + 1;
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER subscription_is_counted AFTER INSERT OR DELETE OR UPDATE OF active, route ON subscription
  FOR EACH ROW EXECUTE FUNCTION count_subscription();
