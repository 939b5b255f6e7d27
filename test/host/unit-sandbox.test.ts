import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { hiddenBy, isWritableIn, sandboxOf } from '../../src/host/unit-sandbox.ts';

const test = suite("the unit's sandbox");
const shownUnit = (properties: Readonly<Record<string, string>>): string =>
  Object.entries({ LoadState: 'loaded', User: 'pushctl', StateDirectory: 'pushctl', ...properties })
    .map(([name, value]) => `${name}=${value}`)
    .join('\n');
const STRICT = { ProtectSystem: 'strict', ProtectHome: 'yes', PrivateTmp: 'yes' };

test('The paths that the unit hides or makes writable are read from the unit in force', () => {
  const strict = sandboxOf(shownUnit({ ...STRICT, ReadWritePaths: '-/srv/pushctl "-/srv/push data" /mnt/a=b' }));
  assert.is(hiddenBy(strict, '/home/ada/pushctl'), '/home');
  assert.is(hiddenBy(strict, '/homes/pushctl'), null);
  assert.is(hiddenBy(strict, '/var/tmp/pushctl'), '/var/tmp');
  for (const path of ['/var/lib/pushctl', '/srv/pushctl/data', '/srv/push data', '/mnt/a=b']) {
    assert.ok(isWritableIn(strict, path), path);
  }
  for (const path of ['/srv', '/srv/pushctl2', '/srv/push', '/var/lib']) assert.not(isWritableIn(strict, path), path);
});

test('Changes by `systemctl edit` count', () => {
  const edited = sandboxOf(
    shownUnit({ ProtectSystem: 'full', ProtectHome: 'read-only', PrivateTmp: 'no', User: 'push' }),
  );
  assert.is(edited.user, 'push');
  assert.is(hiddenBy(edited, '/home/ada/pushctl'), null);
  assert.not(isWritableIn(edited, '/home/ada/pushctl'));
  assert.not(isWritableIn(edited, '/etc/pushctl'));
  assert.ok(isWritableIn(edited, '/srv/pushctl'));
  assert.is(
    hiddenBy(sandboxOf(shownUnit({ ...STRICT, InaccessiblePaths: '-/srv/secret' })), '/srv/secret/x'),
    '/srv/secret',
  );
});

test('If systemd does not know the unit, the unit of this version counts', () => {
  for (const nothing of ['', 'LoadState=not-found\nProtectSystem=no\n']) {
    const shipped = sandboxOf(nothing);
    assert.is(hiddenBy(shipped, '/root/data'), '/root');
    assert.ok(isWritableIn(shipped, '/var/lib/pushctl'));
    assert.not(isWritableIn(shipped, '/srv/pushctl'));
  }
});

test.run();
