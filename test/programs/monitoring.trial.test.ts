import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../src/process/package.ts';
import { temporaryFolder } from '../support/folder.ts';
import { skipWhere } from '../support/skip.ts';

const FOLDER = packagePath('systemd', 'monitoring');

const monitoring = suite('monitoring');
const withPromtool = skipWhere(
  spawnSync('promtool', ['--version']).error === undefined ? null : "needs promtool, of Debian's package prometheus",
  monitoring,
);

withPromtool('The alert rules pass their own tests in Prometheus', () => {
  assert.match(promtool('check', 'rules', 'rules.yml'), 'SUCCESS');
  assert.match(promtool('test', 'rules', 'rules.test.yml'), 'SUCCESS');
});

withPromtool('The tests of the rules see each alert once', () => {
  const alerts = readFileSync(join(FOLDER, 'rules.yml'), 'utf8').match(/(?<=- alert: )\w+/g) ?? [];
  const tests = readFileSync(join(FOLDER, 'rules.test.yml'), 'utf8');
  assert.ok(alerts.length >= 12);
  for (const alert of alerts)
    assert.match(tests, new RegExp(`alertname: ${alert}\\n +exp_alerts:\\n +- exp_labels`), alert);
});

withPromtool('Prometheus can compute what the dashboard shows', () => {
  const { panels } = JSON.parse(readFileSync(join(FOLDER, 'dashboard.json'), 'utf8')) as Dashboard;
  const expressions = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  assert.ok(expressions.length >= panels.length);
  const rules = expressions.map((expr, n) => ({ record: `panel_${n}`, expr: expr.replace('$__rate_interval', '5m') }));
  const file = join(temporaryFolder(), 'dashboard.yml');
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] })); // JSON is YAML.
  assert.match(promtool('check', 'rules', file), `SUCCESS: ${expressions.length} rules found`);
});

interface Dashboard {
  readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
}

/** Throws what it says where it fails. */
function promtool(...args: readonly string[]): string {
  return execFileSync('promtool', args, { cwd: FOLDER, encoding: 'utf8' });
}

monitoring.run();
