import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { loadConfigFrom } from '../../../config/load.ts';
import { actAsOwnerOf } from '../../../files/act-as-owner.ts';
import { putInPlace } from '../../../files/write.ts';
import { OperatorProblem } from '../../../process/problem.ts';
import type { CommandContext } from '../../context.ts';

/** A copy of the configuration file, written beside a finished backup. */
export class ConfigCopy {
  readonly #text: Buffer;
  readonly #target: string;

  private constructor(text: Buffer, target: string) {
    this.#text = text;
    this.#target = target;
  }

  /** Throws `OperatorProblem` without a configuration file, or if the name is taken. */
  static of(context: CommandContext, file: string): ConfigCopy {
    const target = resolve(file);
    const { file: source } = loadConfigFrom(context.sources());
    if (source === null)
      throw new OperatorProblem('there is no configuration file: everything comes from the environment.', 1, {
        advice: 'Omit --with-config.',
      });
    if (existsSync(target)) throw new OperatorProblem(`${target} exists already.`, 1, { advice: 'Name a new file.' });
    return new ConfigCopy(readFileSync(source), target);
  }

  /** Writes the copy (mode 0600) and returns its name. */
  write(): string {
    const unfinished = `${this.#target}.${process.pid}.part`;
    using _ = actAsOwnerOf(this.#target);
    try {
      const file = openSync(unfinished, 'wx', 0o600);
      try {
        writeFileSync(file, this.#text);
      } finally {
        closeSync(file);
      }
      putInPlace(unfinished, this.#target);
      return this.#target;
    } catch (error) {
      throw new OperatorProblem(
        `the backup was written, but ${this.#target} cannot be written: ${(error as Error).message}.`,
      );
    } finally {
      rmSync(unfinished, { force: true });
    }
  }
}
