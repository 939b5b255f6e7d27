import { statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { After } from '../process/clock.ts';

const LOOK_EVERY_MS = 1_000;

export interface FileWatchOptions {
  /** Called at each look, as files may move. */
  readonly files: () => readonly string[];
  readonly after: After;
  /** Never rejects. */
  readonly onChange: () => Promise<void>;
}

/**
 * Reports changed files after a second without change, which allows for writing a pair. Polls: watches miss changed
 * links, renamed folders and mounts. Create it before reading the files, or changes in between are missed.
 */
export class FileWatch {
  readonly #options: FileWatchOptions;
  #reported: string;
  #seen: string;
  #cancel: () => void = () => {};
  #isStopped = false;

  constructor(options: FileWatchOptions) {
    this.#options = options;
    this.#reported = options.files().map(markNow).join('\n');
    this.#seen = this.#reported;
  }

  start(): void {
    if (!this.#isStopped) this.#cancel = this.#options.after(LOOK_EVERY_MS, () => void this.#look());
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  async #look(): Promise<void> {
    const marks = await Promise.all(this.#options.files().map(mark));
    if (this.#isStopped) return;
    const seen = marks.join('\n');
    const isAtRest = seen === this.#seen;
    this.#seen = seen;
    if (isAtRest && seen !== this.#reported) {
      this.#reported = seen;
      await this.#options.onChange();
    }
    this.start();
  }
}

interface Marked {
  readonly dev: bigint;
  readonly ino: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
}

function markNow(file: string): string {
  try {
    return textOf(file, statSync(file, { bigint: true }));
  } catch {
    return file;
  }
}

async function mark(file: string): Promise<string> {
  try {
    return textOf(file, await stat(file, { bigint: true }));
  } catch {
    return file;
  }
}

function textOf(file: string, { dev, ino, size, mtimeNs, ctimeNs }: Marked): string {
  return [file, dev, ino, size, mtimeNs, ctimeNs].join(' ');
}
