import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { journalLines, type LogLine } from '../../src/host/logs.ts';
import { OperatorProblem } from '../../src/process/problem.ts';
import { temporaryFolder } from '../support/folder.ts';

const test = suite('host: logs from the journal');
const OWN = '{"level":30,"time":"2026-11-21T09:30:00.123Z","msg":"listening"}';

/** A program in the place of journalctl, as that of systemd 252 behaves. */
function aJournalctl({ entries = [], errorText = '' }: { entries?: readonly unknown[]; errorText?: string }): string {
  const file = join(temporaryFolder(), 'journalctl');
  const lines = entries.map((entry) => JSON.stringify(entry)).join('\n');
  writeFileSync(
    file,
    `#!/bin/sh
    case "$*" in
      *--output=json*) echo "$*" > "$0.asked"; cat <<'END'
${lines}
END
      ;;
      *) printf '%s' '${errorText}' >&2 ;;
    esac`,
  );
  chmodSync(file, 0o755);
  return file;
}

async function read(journalctl: string): Promise<readonly LogLine[]> {
  const { signal } = new AbortController();
  const lines: LogLine[] = [];
  for await (const line of journalLines({ sinceMs: 1_000, isFollowed: false, signal, journalctl })) lines.push(line);
  return lines;
}

function entry(MESSAGE: unknown, PRIORITY: string, SYSLOG_IDENTIFIER: string) {
  return { MESSAGE, PRIORITY, SYSLOG_IDENTIFIER, __REALTIME_TIMESTAMP: '1795253400123456' };
}

test("Lines of the service, and systemd's lines about it, come with their time and level", async () => {
  const bytes = [...Buffer.from('caf\u00e9 \u001b[31m')];
  const lines = await read(
    aJournalctl({
      entries: [entry(OWN, '6', 'pushctl'), entry('Failed.', '4', 'systemd'), entry(bytes, '6', 'pushctl')],
    }),
  );
  const atMs = 1_795_253_400_123.456;
  assert.equal(lines, [
    { text: OWN, about: { atMs, level: 30, by: null } },
    { text: 'Failed.', about: { atMs, level: 40, by: 'systemd' } },
    { text: 'café \u001b[31m', about: { atMs, level: 30, by: null } },
  ]);
});

test('If the journal is missing or not readable, it says what to do', async () => {
  const hint = 'Hint: You are currently not seeing messages from other users and the system.';
  for (const [errorText, expected] of [
    [hint, /may not read the journal.*sudo pushctl logs/],
    ['No journal files were opened due to insufficient permissions.', /may not read the journal/],
    ['No journal files were found.', /this machine has no journal.*pushctl logs <file>/],
  ] as const) {
    await refuses(aJournalctl({ errorText }), expected);
  }
  await refuses('/usr/bin/no-such-journalctl', /no-such-journalctl cannot be run \(ENOENT\).*pushctl logs <file>/);
});

async function refuses(journalctl: string, expected: RegExp): Promise<void> {
  try {
    await read(journalctl);
  } catch (error) {
    assert.instance(error, OperatorProblem);
    assert.match((error as Error).message, expected);
    return;
  }
  assert.unreachable(String(expected));
}

test.run();
