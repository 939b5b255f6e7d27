import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { retryTaps } from '../../../src/web/alerts/kept-taps.ts';
import type { Answer, Problem } from '../../../src/web/api/problem.ts';

const NOW_MS = 1_800_000_000_000;
const HOUR_MS = 3_600_000;

/** Retries these taps, by what the server answers to each. Returns what failed, what was asked and what is still kept. */
async function retried(answers: Readonly<Record<string, 'done' | Problem['kind']>>, atMs = NOW_MS) {
  const kept = new Map(Object.keys(answers).map((alert) => [`https://push.example.com/taps/${alert}`, atMs]));
  const taps = {
    keys: async () => [...kept.keys()].map((url) => ({ url })),
    match: async (url: string) => Response.json({ all: url.endsWith('all'), atMs: kept.get(url) }),
    delete: async (url: unknown) => kept.delete(String(url)),
  };
  const asked: string[] = [];
  const acknowledge = async (alert: string, { all }: { readonly all: boolean }): Promise<Answer<unknown>> => {
    asked.push(`${alert} ${all}`);
    const kind = answers[alert] ?? 'done';
    if (kind === 'done') return { ok: true, data: null };
    return { ok: false, problem: { kind, message: '', fields: {} } };
  };
  const failed = await retryTaps(taps, acknowledge, NOW_MS);
  return { failed, asked, kept: [...kept.keys()].map((url) => url.slice(url.lastIndexOf('/') + 1)) };
}

test('A kept tap is made when the app opens, and forgotten once it is made or its alert is gone', async () => {
  assert.equal(await retried({ evt_1: 'done', evt_all: 'done', evt_3: 'missing' }), {
    ...{ failed: null, asked: ['evt_1 false', 'evt_all true', 'evt_3 false'], kept: [] },
  });
});

test('One that fails again is named, and stays', async () => {
  for (const kind of ['away', 'offline', 'refused'] as const) {
    const { failed, kept } = await retried({ evt_1: kind, evt_2: 'done' });
    assert.equal([failed, kept], ['evt_1', ['evt_1']]);
  }
});

test('After an hour it is not made any more', async () => {
  assert.equal(await retried({ evt_1: 'done' }, NOW_MS - HOUR_MS - 1), { failed: null, asked: [], kept: [] });
});

test.run();
