import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Resources } from './resources.ts';

export interface StoreProcess {
  readonly pid: number;
  /** Its error instead of an opened store. */
  readonly problem: string | undefined;
  /** kill -9; resolves once it is gone. */
  kill(): Promise<void>;
}

/**
 * Another process with the store of `dataDir` open and the workspace `acknowledged` in it; with `uid`, as that user.
 */
export async function storeProcess(opened: Resources, dataDir: string, uid?: number): Promise<StoreProcess> {
  const module = fileURLToPath(new URL('./store-holder.js', import.meta.url));
  const child: ChildProcess = fork(module, [dataDir, ...(uid === undefined ? [] : [String(uid)])]);
  const gone = once(child, 'exit');
  const kill = async () => {
    child.kill('SIGKILL');
    await gone;
  };
  opened.onEnd(kill);
  const [message] = (await once(child, 'message')) as [{ problem?: string }];
  return {
    pid: child.pid ?? 0,
    problem: message.problem,
    kill,
  };
}
