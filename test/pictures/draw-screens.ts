/** Draws the README's pictures of the command line from the real program on a real screen (tmux). */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { entryUrl } from '../../src/process/entry-points.ts';
import { temporaryFolder } from '../support/folder.ts';
import { Resources } from '../support/resources.ts';
import { startTestServer } from '../support/server.ts';
import { openScreen } from '../support/tmux.ts';
import { toSvg } from './svg.ts';

const MAIN = fileURLToPath(entryUrl('cli/main'));
const COLUMNS = 104;
/** The characters behind a key's prefix, which may go on in the next line, and a pairing code. */
const SECRET = /(?<=pctl_)\w+(\n\w+)?|(?<=#pair=)[\w-]+/g;

export async function drawDemo(into: string): Promise<void> {
  const folder = join(temporaryFolder(), 'pushctl-demo');
  const screen = openScreen([process.execPath, MAIN, 'demo', '--data-dir', folder], { columns: COLUMNS, rows: 24 });
  try {
    await screen.waitFor(/2 pushes arrived/);
    keep(into, 'demo', hidden(screen.read(true), folder), 'pushctl demo: an event is posted, and both devices get it');
  } finally {
    screen.close();
  }
}

export async function drawTail(into: string): Promise<void> {
  await using opened = new Resources();
  const { env, sandbox, team } = await startTestServer(opened);
  for (let n = 0; n < 40; n += 1) {
    await team.addDevice(sandbox, { platform: 'android', behaviour: n === 3 ? 'flapping' : 'accept' });
    await team.addDevice(sandbox, { platform: 'ios', behaviour: n === 5 ? 'flapping' : 'accept' });
  }
  const command = [process.execPath, MAIN, '--data-dir', String(env.PUSHCTL_DATA_DIR), 'tail'];
  const screen = openScreen(command, { columns: COLUMNS, rows: 24 });
  try {
    await screen.waitFor(/fcm +open/);
    for (let tenth = 0; tenth < 480; tenth += 1) {
      const wave = Math.max(0, Math.sin(tenth / 35)) * 3;
      if (Math.random() * 3 < wave) await team.post({ title: 'Build finished' });
      await pause(100);
    }
    keep(
      into,
      'tail',
      screen.read(true),
      'pushctl tail: rates, latency, routes and the latest outcomes of a server at work',
    );
  } finally {
    screen.close();
  }
}

function keep(into: string, name: string, screen: string, title: string): void {
  writeFileSync(join(into, `${name}.svg`), toSvg(screen, { columns: COLUMNS, title }));
}

/** Hides the folder of the day, and keys and codes however short their lives. */
function hidden(screen: string, folder: string): string {
  return screen
    .replaceAll(folder, '~/.local/share/pushctl-demo')
    .replaceAll(SECRET, (key) => key.replaceAll(/\w/g, '•'));
}
