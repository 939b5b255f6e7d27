import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { configuredRoutes } from '../../src/config/config.ts';
import { exampleConfig } from '../../src/config/example.ts';
import { loadConfig } from '../../src/config/load.ts';
import { listSettings, readConfigSchema } from '../../src/config/settings.ts';
import { ROUTES } from '../../src/push.ts';
import { withFile } from '../support/config.ts';

const example = suite('the example configuration');

example('Every setting is documented with an example, and a default if it may be left out.', () => {
  for (const setting of listSettings(readConfigSchema())) {
    assert.ok(setting.description && setting.expected && setting.examples.length > 0, setting.path);
  }
});

example(
  'The example configuration is the one that the schema describes, and loads with every line uncommented.',
  () => {
    const shipped = readFileSync(new URL('../../../systemd/pushctl.toml', import.meta.url), 'utf8');
    assert.is(shipped, exampleConfig());
    const all = shipped.replaceAll(/^#(?! )/gm, '');
    // The size of a PostgreSQL database is not for pushctl to bound, and a certificate is in files or comes by ACME.
    // Backups of PostgreSQL are not for pushctl to make.
    const tables = /^\[(?:tls\.acme|backup)\][\s\S]*?(?=^\[)/gm;
    const onSeveral = all.replace(/^max_size.*/m, '').replace(tables, '');
    const onOne = all.replace(/^\[store\][\s\S]*?(?=^\[)/m, '').replace(/^(?:cert|key) = .*/gm, '');
    for (const text of [onSeveral, onOne]) {
      withFile(text, (file) => {
        const config = loadConfig({ env: {}, file });
        assert.equal(configuredRoutes(config), ROUTES);
      });
    }
  },
);

example.run();
