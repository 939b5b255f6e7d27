import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { type LoadOptions, loadConfig } from '../../src/config/load.ts';
import { OperatorProblem } from '../../src/process/problem.ts';
import { temporaryFolder } from './folder.ts';

/** Returns the faults of a configuration that must be refused. */
export function mistakesOf(options: LoadOptions): string {
  try {
    loadConfig(options);
  } catch (error) {
    assert.instance(error, OperatorProblem);
    assert.is((error as OperatorProblem).exitCode, 2);
    return (error as OperatorProblem).message;
  }
  throw new Error('the configuration was accepted');
}

/** Gives `use` a configuration file with this text, and the folder that it is alone in. */
export function withFile(text: string, use: (file: string, folder: string) => void): void {
  const folder = temporaryFolder();
  const file = join(folder, 'pushctl.toml');
  writeFileSync(file, text);
  use(file, folder);
}
