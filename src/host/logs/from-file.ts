import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { OperatorProblem } from '../../process/problem.ts';
import { linesOf } from './child-lines.ts';
import type { LogLine, ReadingOptions } from './lines.ts';

const TAIL = '/usr/bin/tail';

/** Yields a file's lines, even if rotated. Throws `OperatorProblem` if unreadable. */
export async function* fileLines(
  name: string,
  { isFollowed, signal }: Pick<ReadingOptions, 'isFollowed' | 'signal'>,
): AsyncGenerator<LogLine> {
  const path = resolve(name);
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    throw unreadable(path, error);
  });
  if ((await file.stat()).isDirectory()) {
    await file.close();
    throw new OperatorProblem(`${path} is a folder. Pass the file in it.`);
  }
  if (!isFollowed) return yield* textLines(file.createReadStream(), signal);
  await file.close();
  const advice = 'Without --follow, the file is read once.';
  for await (const text of linesOf([TAIL, '--lines=+1', '--follow=name', '--retry', path], advice, signal)) {
    yield { text, about: null };
  }
}

/** Yields a stream's lines until its end or the signal's. */
export async function* textLines(input: NodeJS.ReadableStream, signal: AbortSignal): AsyncGenerator<LogLine> {
  for await (const text of createInterface({ input, signal })) yield { text, about: null };
}

function unreadable(path: string, { code }: NodeJS.ErrnoException): OperatorProblem {
  const why =
    { ENOENT: 'the file does not exist', EACCES: 'this user may not read it (run this as root)' }[code ?? ''] ?? code;
  return new OperatorProblem(`cannot read ${path}: ${why}.`);
}
