import type { Machine } from './machine.ts';

/** Clients that each make a new connection for every request, until they are stopped. */
const CLIENTS = `
  import { existsSync, writeFileSync } from 'node:fs';
  import { get } from 'node:https';
  const outcomes = {};
  let longestMs = 0;
  const ask = () => new Promise((resolve) => {
    const options = { host: '127.0.0.1', port: 443, path: '/healthz', agent: false, rejectUnauthorized: false };
    const asking = get(options, (response) => response.resume().once('end', () => resolve(response.statusCode)));
    asking.once('error', ({ code }) => resolve(code));
  });
  const client = async () => {
    while (!existsSync('/tmp/knocking.stop')) {
      const startedMs = performance.now();
      const outcome = await ask();
      longestMs = Math.max(longestMs, performance.now() - startedMs);
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const telling = setInterval(() => writeFileSync('/tmp/knocking.json', JSON.stringify(outcomes)), 50);
  await Promise.all(Array.from({ length: 8 }, client));
  clearInterval(telling);
  writeFileSync('/tmp/knocking.json', JSON.stringify(outcomes));
  console.log(JSON.stringify({ outcomes, longestMs: Math.round(longestMs) }));`;
const NODE = '$(echo /opt/pushctl/node_modules/node-linux-*/bin/node)';

/** Answers from status or error code to how often it came. */
export async function knockDuring(
  machine: Machine,
  act: () => Promise<void>,
): Promise<Readonly<Record<string, number>>> {
  await machine.run(`
    cat > /tmp/knocking.mjs <<'EOT'\n${CLIENTS}\nEOT
    rm -f /tmp/knocking.stop /tmp/knocking.json
    systemd-run --quiet --unit=knocking ${NODE} /tmp/knocking.mjs`);
  await machine.until('[ -s /tmp/knocking.json ]');
  await act();
  await machine.run('touch /tmp/knocking.stop');
  await machine.until('! systemctl is-active --quiet knocking');
  return JSON.parse(await machine.run('cat /tmp/knocking.json')) as Readonly<Record<string, number>>;
}

/** Resolves once that many more requests have ended so. */
export async function knocked(machine: Machine, outcome: string, more: number): Promise<void> {
  const count = `$(sed -n 's/.*"${outcome}":\\([0-9]*\\).*/\\1/p' /tmp/knocking.json | grep . || echo 0)`;
  const before = Number(await machine.run(`echo ${count}`));
  await machine.until(`[ ${count} -ge ${before + more} ]`);
}
