import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Answered, postWithRetries, type Unanswered } from '../../src/cli/posting.ts';
import { OperatorProblem } from '../../src/process/problem.ts';

const answered = (status: number, retryAfterMs: number | null = null): Answered => {
  return {
    status,
    body: { message: `Status ${status}.` },
    retryAfterMs,
    isReplay: false,
    bodyDiffers: false,
    leavesAlert: false,
  };
};
const REFUSED: Unanswered = { unanswered: 'no answer: ECONNREFUSED.', canPass: true };

/** Posts to a service that answers this after 10 ms each time, on a clock that goes on by that and by waiting alone. */
async function run(answers: readonly (Answered | Unanswered)[], retryForMs = 120_000) {
  const left = [...answers];
  const notes: string[] = [];
  const waits: number[] = [];
  let nowMs = 0;
  const wait = async (ms: number) => {
    waits.push(ms);
    nowMs += ms;
  };
  const post = async () => {
    nowMs += 10;
    return left.shift() ?? REFUSED;
  };
  const retrying = { retryForMs, note: (text: string) => notes.push(text), wait, now: () => nowMs, random: () => 1 };
  const end = await postWithRetries(post, retrying).catch((error) => error as OperatorProblem);
  return { end, notes, waits };
}

test('a final answer ends at the first try', async () => {
  for (const status of [200, 202, 400, 401, 404, 422]) {
    const { end, waits } = await run([answered(status), answered(202)]);
    assert.equal([end, waits], [answered(status), []]);
  }
});

test('429, 5xx and no answer are tried again, each time after a longer wait, and said', async () => {
  const { end, notes, waits } = await run([REFUSED, answered(500), answered(429), answered(202)]);
  assert.equal(end, answered(202));
  assert.equal(waits, [1_000, 2_000, 4_000]);
  assert.equal(notes, [
    'pushctl: no answer: ECONNREFUSED. Trying again in 1 s.',
    'pushctl: the service answered 500: Status 500. Trying again in 2 s.',
    'pushctl: the service answered 429: Status 429. Trying again in 4 s.',
  ]);
});

test('it waits as long as the service asks, and pauses even if a Retry-After is 0 or negative', async () => {
  const { waits } = await run([answered(503, 7_000), answered(503, 0), answered(503, -5_000), answered(202)]);
  assert.equal(waits, [7_000, 2_000, 4_000]);
});

test('it waits out the limit on requests per minute by default', async () => {
  const { end, waits } = await run([answered(429, 60_000), answered(202)]);
  assert.equal([end, waits], [answered(202), [60_000]]);
});

test('it gives up as soon as the next try would come too late, and says when to come back', async () => {
  for (const answers of [[answered(429, 86_400_000)], [answered(503, 121_000)]]) {
    const { end, waits } = await run(answers);
    assert.ok(end instanceof OperatorProblem && end.exitCode === 75);
    assert.match(end.message, /Try again in (86400|121) s\.$/);
    assert.equal(waits, []);
  }
  const { end, waits } = await run([], 20_000);
  assert.ok(end instanceof OperatorProblem && end.exitCode === 75);
  assert.equal(waits, [1_000, 2_000, 4_000, 8_000]);
});

test('if no answer can be expected at all it fails at once', async () => {
  const { end, waits } = await run([{ unanswered: 'no answer: CERT_HAS_EXPIRED.', canPass: false }]);
  assert.ok(end instanceof OperatorProblem && end.exitCode === 1);
  assert.equal(waits, []);
});

test.run();
