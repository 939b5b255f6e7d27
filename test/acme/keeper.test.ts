import { statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { CertificateKeeper } from '../../src/acme/keeper.ts';
import { TlsFolder } from '../../src/acme/state.ts';
import { issuePair } from '../support/acme-issuing.ts';
import { authority, DAY_MS, failed, HOUR_MS, Scene, SETTINGS } from '../support/certificate-keeper.ts';
import { SimulatedClock } from '../support/simulation.ts';

/** No timer is shorter. */
const SOON_MS = 1;

test('The first certificate is asked for at once, and kept for its owner alone', async () => {
  const scene = new Scene();
  const keeper = scene.start();
  assert.match(keeper.findings[0]?.message ?? '', 'pushctl will ask ca.example.com for one for push.example.com');
  assert.is(keeper.findings[0]?.status, 'warn');
  await scene.clock.run(SOON_MS);
  assert.is(scene.served.length, 1);
  assert.equal(keeper.findings, []);
  for (const name of ['account.pem', 'certificate.pem', 'state.json']) {
    assert.is(statSync(join(scene.dataDir, 'tls', name)).mode & 0o777, 0o600, name);
  }
  assert.is(statSync(join(scene.dataDir, 'tls')).mode & 0o777, 0o700);
  const again = scene.restart();
  assert.is(again.pair, scene.served[0]);
  await scene.clock.run(DAY_MS);
  assert.is(scene.tries.length, 1);
});

test('A certificate is renewed at two thirds of its life, by the same account', async () => {
  const scene = new Scene();
  scene.start();
  await scene.clock.run(59 * DAY_MS);
  assert.is(scene.tries.length, 1);
  await scene.clock.run(2 * DAY_MS);
  assert.is(scene.tries.length, 2);
  assert.is(scene.served.length, 2);
  assert.is(scene.jobs[1]?.accountKey, scene.jobs[0]?.accountKey);
});

test('A try that fails is made again after an hour, doubling to a day, also over restarts', async () => {
  const scene = new Scene();
  scene.answer = () => failed('DNS problem: NXDOMAIN', 'dns');
  const keeper = scene.start();
  await scene.clock.run(SOON_MS);
  const [finding] = keeper.findings;
  assert.is(finding?.status, 'fail');
  assert.match(
    finding?.message ?? '',
    /^ca\.example\.com issued none for push\.example\.com: DNS problem: NXDOMAIN; next attempt at/,
  );
  assert.match(finding?.message ?? '', 'the server shows a self-signed one');
  assert.match(finding?.advice ?? '', 'DNS records (A and AAAA) of push.example.com');
  await scene.clock.run(3 * HOUR_MS + 1);
  assert.equal(scene.triedHours, [0, 1, 3]);
  const restarted = scene.restart();
  assert.match(restarted.findings[0]?.message ?? '', 'NXDOMAIN');
  await scene.clock.run(4 * DAY_MS);
  assert.equal(scene.triedHours, [0, 1, 3, 7, 15, 31, 55, 79]);
});

test('While an order runs, the finding says so, for the first certificate and after a try that failed', async () => {
  const scene = new Scene();
  scene.answer = () => new Promise(() => {});
  const keeper = scene.start();
  await scene.clock.run(SOON_MS);
  assert.match(
    keeper.findings[0]?.message ?? '',
    /^pushctl is asking ca\.example\.com for one for push\.example\.com;/,
  );
  const later = new Scene();
  later.answer = () => failed('DNS problem', 'dns');
  const again = later.start();
  await later.clock.run(SOON_MS);
  later.answer = () => new Promise(() => {});
  await later.clock.run(HOUR_MS + 1);
  assert.match(again.findings[0]?.message ?? '', /DNS problem; pushctl is asking for it now;/);
});

test('If port 80 leads here as well, each try proves the names by the other way', async () => {
  const scene = new Scene();
  scene.answer = () => failed('Timeout during connect', 'connection');
  scene.start({ challenges: ['http-01', 'tls-alpn-01'] });
  await scene.clock.run(4 * HOUR_MS);
  assert.equal(
    scene.jobs.map(({ challenges }) => challenges[0]),
    ['http-01', 'tls-alpn-01', 'http-01'],
  );
});

test('A server that dies while it asks does not ask again as soon as it is back', async () => {
  const scene = new Scene();
  scene.answer = () => new Promise(() => {});
  scene.start();
  await scene.clock.run(SOON_MS);
  scene.answer = () => scene.certificate();
  const keeper = scene.start();
  assert.match(
    keeper.findings[0]?.message ?? '',
    'pushctl will ask ca.example.com for one for push.example.com; next attempt at',
  );
  await scene.clock.run(HOUR_MS - 2);
  assert.is(scene.tries.length, 1);
  await scene.clock.run(2);
  assert.is(scene.served.length, 1);
});

test('A server that is stopped while it asks does so again a minute after it is back', async () => {
  const scene = new Scene();
  scene.answer = () => new Promise(() => {});
  const keeper = scene.start();
  await scene.clock.run(SOON_MS);
  assert.match(keeper.findings[0]?.message ?? '', 'pushctl is asking');
  scene.answer = () => scene.certificate();
  scene.restart();
  await scene.clock.run(59_000);
  assert.is(scene.tries.length, 1);
  await scene.clock.run(1_000);
  assert.is(scene.served.length, 1);
});

test('The result of an order or a look after a stop is neither served nor counted, and nothing is planned', async () => {
  const endings = [
    (scene: Scene) => scene.certificate(),
    () => failed('DNS problem: NXDOMAIN', 'dns'),
    () => Promise.reject(new Error('no process')),
  ];
  for (const ending of endings) {
    const scene = new Scene();
    const { promise, resolve } = Promise.withResolvers<Awaited<ReturnType<Scene['certificate']>>>();
    scene.answer = () => promise;
    const keeper = scene.start();
    await scene.clock.run(SOON_MS);
    keeper.stop();
    const kept = new TlsFolder(scene.dataDir).state();
    resolve(ending(scene));
    await scene.clock.settle();
    assert.equal([scene.served, scene.clock.timers], [[], 0]);
    assert.equal(new TlsFolder(scene.dataDir).state(), kept);
  }
  const scene = new Scene();
  scene.start();
  await scene.clock.run(SOON_MS);
  const { promise: info, resolve: tell } = Promise.withResolvers<typeof scene.info>();
  const keeper = scene.restart({ askRenewalInfo: () => info });
  await scene.clock.run(DAY_MS);
  keeper.stop();
  const kept = new TlsFolder(scene.dataDir).state();
  tell({ ...scene.info, clockOffMs: 5_000 });
  await scene.clock.settle();
  assert.equal(new TlsFolder(scene.dataDir).state(), kept);
});

test('The account is on disk before the authority knows it, so an interrupted try opens no second one', async () => {
  const scene = new Scene();
  const kept: (string | null)[] = [];
  scene.answer = () => {
    kept.push(new TlsFolder(scene.dataDir).accountKey());
    return new Promise(() => {});
  };
  scene.start();
  await scene.clock.run(SOON_MS);
  scene.restart();
  await scene.clock.run(60_000);
  const keys = scene.jobs.map(({ accountKey }) => accountKey);
  assert.is(keys.length, 2);
  assert.match(keys[0] ?? '', 'PRIVATE KEY');
  assert.is(keys[1], keys[0]);
  assert.equal(kept, keys);
});

test('Tries that stops cut off again and again come to count as ones that failed', async () => {
  const scene = new Scene();
  scene.answer = () => new Promise(() => {});
  scene.start();
  for (let minutes = 0; minutes < 12 * 60; minutes += 5) {
    await scene.clock.run(5 * 60_000);
    scene.restart();
  }
  assert.ok(scene.tries.length >= 4 && scene.tries.length <= 12, String(scene.tries.length));
  assert.equal(scene.triedHours.slice(0, 4), [0, 0, 0, 0]);
  assert.equal(scene.triedHours.slice(4), [1, 3, 7]);
  scene.answer = () => scene.certificate();
  await scene.clock.run(8 * HOUR_MS);
  assert.is(scene.served.length, 1);
});

test('If an authority is away for two months, the certificate is served on, and the authority is asked once a day', async () => {
  const scene = new Scene();
  const keeper = scene.start();
  await scene.clock.run(59 * DAY_MS);
  scene.answer = () => failed('cannot reach ca.example.com: ECONNREFUSED', 'ECONNREFUSED');
  await scene.clock.run(6 * DAY_MS);
  assert.is(keeper.findings[0]?.status, 'warn');
  assert.match(keeper.findings[0]?.message ?? '', /^was not renewed, and is valid for 25 days, until .*ECONNREFUSED/);
  await scene.clock.run(54 * DAY_MS);
  assert.is(keeper.findings[0]?.status, 'fail');
  assert.match(keeper.findings[0]?.message ?? '', /^was not renewed, and expired at /);
  assert.is(scene.served.length, 1);
  assert.ok(scene.tries.length >= 60 && scene.tries.length < 70, String(scene.tries.length));
  scene.answer = () => scene.certificate();
  await scene.clock.run(DAY_MS);
  assert.is(scene.served.length, 2);
  assert.equal(keeper.findings, []);
});

test('An authority that says when to ask again is left alone until then, even if an operator asks', async () => {
  const scene = new Scene();
  scene.answer = () => failed('too many certificates already issued', 'rateLimited', 30 * HOUR_MS);
  const keeper = scene.start();
  await scene.clock.run(2 * HOUR_MS);
  keeper.tryNow();
  await scene.clock.run(28 * HOUR_MS);
  assert.equal(scene.triedHours, [0]);
  assert.match(keeper.findings[0]?.advice ?? '', 'nothing to do');
  await scene.clock.run(SOON_MS);
  assert.equal(scene.triedHours, [0, 30]);
});

test('After an operator has fixed something, it is tried at once, but not again and again', async () => {
  const scene = new Scene();
  scene.answer = () => failed('Timeout during connect', 'connection');
  const keeper = scene.start();
  await scene.clock.run(10 * 60_000);
  keeper.tryNow();
  await scene.clock.run(SOON_MS);
  keeper.tryNow();
  await scene.clock.run(30_000);
  keeper.tryNow();
  await scene.clock.run(SOON_MS);
  assert.is(scene.tries.length, 2);
  assert.is(scene.clock.timers, 1);
});

test('A certificate is renewed when its authority wants it, and names the one that it replaces', async () => {
  const scene = new Scene();
  scene.start();
  await scene.clock.run(DAY_MS * 3);
  const startMs = scene.clock.wallMs() + 5 * DAY_MS;
  scene.info = { window: { startMs, endMs: startMs + 2 * DAY_MS }, retryAfterMs: 6 * HOUR_MS, clockOffMs: 0 };
  await scene.clock.run(DAY_MS * 5.5);
  assert.is(scene.tries.length, 1);
  await scene.clock.run(DAY_MS);
  assert.is(scene.tries.length, 2);
  assert.match(scene.jobs[1]?.replaces ?? '', /^[\w-]{27}\.[\w-]+$/);
});

test('A certificate is renewed before it ends, even if its authority names a later time', async () => {
  const scene = new Scene();
  scene.start();
  const startMs = scene.clock.wallMs() + 95 * DAY_MS;
  scene.info = { window: { startMs, endMs: startMs + DAY_MS }, retryAfterMs: null, clockOffMs: 0 };
  await scene.clock.run(79 * DAY_MS);
  assert.is(scene.tries.length, 1);
  await scene.clock.run(2 * DAY_MS);
  assert.is(scene.tries.length, 2);
});

test('One that its authority wants replaced at once is, but never two in a day', async () => {
  const scene = new Scene();
  scene.start();
  scene.info = { window: { startMs: 0, endMs: 1 }, retryAfterMs: null, clockOffMs: 0 };
  await scene.clock.run(DAY_MS * 3 - 1);
  assert.equal(scene.triedHours, [0, 24, 48]);
});

test('A clock that is two months behind is a finding, and the certificate goes by that of the authority', async () => {
  const scene = new Scene();
  const behindMs = 60 * DAY_MS;
  scene.aheadMs = behindMs;
  const keeper = scene.start();
  await scene.clock.run(SOON_MS);
  assert.is(keeper.findings[0]?.check, 'clock');
  assert.match(keeper.findings[0]?.message ?? '', 'was 5184000 s behind ca.example.com at 2026-11-21T09:30:00');
  await scene.clock.run(59 * DAY_MS);
  assert.is(scene.tries.length, 1);
  await scene.clock.run(2 * DAY_MS);
  assert.is(scene.tries.length, 2);
});

for (const [what, then] of [
  ['a restart', (scene: Scene) => void scene.restart()],
  ['a reload', (_: Scene, keeper: CertificateKeeper) => keeper.tryNow()],
  ['the change of the clock', (_: Scene, keeper: CertificateKeeper) => keeper.doubtClock()],
  ['an hour', async ({ clock }: Scene) => clock.run(HOUR_MS)],
] as const) {
  test(`A clock that was two months ahead, and is right again, is noticed by ${what}, and ends no certificate`, async () => {
    const scene = new Scene();
    scene.wallAheadMs = 60 * DAY_MS;
    const keeper = scene.start();
    await scene.clock.run(2 * HOUR_MS);
    const [finding] = keeper.findings;
    assert.match(finding?.message ?? '', /^was 5184000 s ahead of ca\.example\.com at 2027-01-20T09:30:00/);
    scene.wallAheadMs = 0;
    const asked = scene.looks.length;
    await then(scene, keeper);
    await scene.clock.run(SOON_MS);
    assert.is(scene.looks.length, asked + 1);
    assert.equal(scene.current?.findings, []);
    await scene.clock.run(61 * DAY_MS);
    assert.is(scene.tries.length, 2, 'it is renewed at two thirds of its life');
  });
}

test('An authority that is away when the clock is doubted is asked again after ten minutes, and once', async () => {
  const scene = new Scene();
  scene.wallAheadMs = 60 * DAY_MS;
  const asked: number[] = [];
  const keeper = scene.start({
    askRenewalInfo: async () => {
      asked.push(scene.clock.wallMs());
      if (asked.length === 2) throw new Error('ECONNREFUSED');
      return { window: null, retryAfterMs: null, clockOffMs: -scene.wallAheadMs };
    },
  });
  await scene.clock.run(HOUR_MS);
  scene.wallAheadMs = 0;
  keeper.doubtClock();
  await scene.clock.run(HOUR_MS);
  assert.is((asked[2] ?? 0) - (asked[1] ?? 0), 10 * 60_000);
  assert.is(asked.length, 3);
  assert.equal(keeper.findings, []);
});

test('A time that a clock has kept that was years ahead keeps nothing from being tried', async () => {
  const scene = new Scene();
  scene.answer = () => failed('unable to verify', 'CERT_HAS_EXPIRED');
  const ahead = new SimulatedClock(scene.clock.wallMs() + 3_650 * DAY_MS);
  const keeper = scene.start({ clock: ahead, after: ahead.after });
  await ahead.run(SOON_MS);
  assert.match(keeper.findings[0]?.advice ?? '', 'clock');
  scene.answer = () => scene.certificate();
  scene.restart();
  await scene.clock.run(SOON_MS);
  assert.is(scene.served.length, 1);
});

test('A folder that is full: nothing is asked for, and at once when it has space again', async () => {
  const scene = new Scene();
  let isFull = true;
  const keeper = scene.start({
    folder: scene.folderWith('putState', () => {
      if (isFull) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    }),
  });
  await scene.clock.run(61_000);
  assert.is(scene.tries.length, 0);
  assert.match(keeper.findings[0]?.message ?? '', /pushctl did not ask, because pushctl cannot write .*ENOSPC/);
  assert.match(keeper.findings[0]?.advice ?? '', 'free some disk space');
  isFull = false;
  keeper.tryNow();
  await scene.clock.run(SOON_MS);
  assert.is(scene.served.length, 1);
  assert.equal(keeper.findings, []);
});

test('A folder that fills up meanwhile: the certificate is served, and written once that can be done', async () => {
  const scene = new Scene();
  let isFull = true;
  const keeper = scene.start({
    folder: scene.folderWith('putPair', () => {
      if (isFull) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    }),
  });
  await scene.clock.run(SOON_MS);
  assert.is(scene.served.length, 1);
  assert.is(keeper.findings[0]?.status, 'fail');
  assert.match(keeper.findings[0]?.message ?? '', /^pushctl cannot write .*ENOSPC/);
  isFull = false;
  await scene.clock.run(HOUR_MS);
  assert.equal(keeper.findings, []);
  assert.is(new TlsFolder(scene.dataDir).pair(), scene.served[0]);
  assert.is(scene.tries.length, 1);
});

test('Other names in the settings are asked for at once, and the present certificate is served meanwhile', async () => {
  const scene = new Scene();
  scene.start();
  await scene.clock.run(HOUR_MS);
  scene.answer = () => failed('no', 'unauthorized');
  const settings = { ...SETTINGS, domains: ['push.example.com', 'hooks.example.com'] };
  const keeper = scene.restart({ settings });
  assert.is(keeper.pair, scene.served[0]);
  await scene.clock.run(SOON_MS);
  assert.is(scene.tries.length, 2);
  assert.is(keeper.findings[0]?.status, 'warn');
  scene.answer = () => scene.certificate(settings.domains);
  await scene.clock.run(HOUR_MS);
  assert.is(scene.served.length, 2);
});

test('A file that is no certificate is as none', async () => {
  const scene = new Scene();
  new TlsFolder(scene.dataDir).putPair('nonsense');
  const keeper = scene.start();
  assert.is(keeper.pair, null);
  await scene.clock.run(SOON_MS);
  assert.is(scene.served.length, 1);
});

test('A file that is no certificate, or not for all names, is not served', async () => {
  const right = issuePair(authority, { domains: SETTINGS.domains, fromMs: 0, toMs: DAY_MS });
  const chain = '-----BEGIN CERTIFICATE-----\nbm90aGluZw==\n-----END CERTIFICATE-----\n';
  const other = issuePair(authority, { domains: ['other.example.com'], fromMs: 0, toMs: DAY_MS });
  for (const pair of ['nonsense', other, `${right}${chain}`]) {
    const scene = new Scene();
    scene.answer = async () => ({ pair, problem: null, clockOffMs: 0 });
    const keeper = scene.start();
    await scene.clock.run(SOON_MS);
    assert.is(scene.served.length, 0);
    assert.match(
      keeper.findings[0]?.message ?? '',
      /it issued a certificate that (the server cannot use|is not for push\.example\.com)/,
    );
  }
});

test('An order that cannot be begun, or whose certificate is not taken, is one that failed', async () => {
  const enomem = () => {
    throw Object.assign(new Error('spawn ENOMEM'), { code: 'ENOMEM' });
  };
  for (const broken of [{ answer: async () => enomem() }, { use: enomem }]) {
    const scene = new Scene();
    const { answer, use } = scene;
    Object.assign(scene, broken);
    const keeper = scene.start();
    await scene.clock.run(SOON_MS);
    assert.is(keeper.pair, null);
    assert.match(keeper.findings[0]?.message ?? '', /issued none for .*: spawn ENOMEM; next attempt at/);
    Object.assign(scene, { answer, use });
    await scene.clock.run(HOUR_MS);
    assert.is(scene.served.length, 1);
    assert.equal(keeper.findings, []);
  }
});

test.run();
