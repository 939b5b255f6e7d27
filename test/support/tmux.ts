import { execFileSync, spawnSync } from 'node:child_process';
import { until } from './until.ts';

/** A reason why whole screens cannot be tested here; null: they can. */
export function tmuxObstacle(): string | null {
  return spawnSync('tmux', ['-V']).status === 0 ? null : 'there is no tmux';
}

export interface Screen {
  /** Types keys, named as tmux does: `q`, `Enter`. */
  type(...keys: readonly string[]): void;
  resize(columns: number, rows: number): void;
  /** Returns the text on the screen; with `styled`, with its escape sequences. */
  read(styled?: boolean): string;
  /** The screen once the pattern is on it. */
  waitFor(pattern: RegExp): Promise<string>;
  close(): void;
}

/** A terminal of its own in which a command runs. Once that has ended, `exit code 0` (or another) stands on it. */
export function openScreen(
  command: readonly string[],
  {
    columns = 100,
    rows = 30,
    env = {},
  }: { columns?: number; rows?: number; env?: Readonly<Record<string, string>> } = {},
): Screen {
  const socket = `pushctl-${process.pid}-${Math.random().toString(36).slice(2)}`;
  const tmux = (...args: readonly string[]) =>
    execFileSync('tmux', ['-L', socket, '-f', '/dev/null', ...args], { encoding: 'utf8' });
  const variables = Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
  const size = ['-x', String(columns), '-y', String(rows)];
  // The shell outlives the Ctrl-C that ends the command. People have no CI, where libraries draw without colours.
  const script = `trap : INT; unset CI; ${command.map(quoted).join(' ')}; echo "exit code $?"; exec sleep 600`;
  tmux('new-session', '-d', ...size, ...variables, script);
  const read = (styled = false) => tmux('capture-pane', '-p', ...(styled ? ['-e'] : []));
  return {
    type: (...keys) => void tmux('send-keys', ...keys),
    resize: (width, height) => void tmux('resize-window', '-x', String(width), '-y', String(height)),
    read,
    async waitFor(pattern) {
      let screen = read();
      const isThere = () => {
        screen = read();
        return pattern.test(screen);
      };
      await until(`${pattern} on the screen`, isThere).catch((error: Error) => {
        throw new Error(`${error.message}\n${screen}`);
      });
      return screen;
    },
    close: () => void tmux('kill-server'),
  };
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
