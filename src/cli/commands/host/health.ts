import { systemClock } from '../../../process/clock.ts';
import { type Finding, fail } from '../../../process/finding.ts';
import { packageVersion } from '../../../process/package.ts';
import { OperatorProblem } from '../../../process/problem.ts';
import type { StoreClient } from '../../../store/calls.ts';
import type { Command } from '../../command.ts';
import type { CommandContext } from '../../context.ts';
import type { Loaded } from '../../loaded.ts';
import { type FailOptions, failWhere, findingLines, WARNINGS_AS_ERRORS } from '../../output/finding-lines.ts';

export function addStatus(program: Command, context: CommandContext): void {
  program
    .command('status')
    .description(
      'show the state of the server on one screen: routes, queue, certificate, last backup, warnings; exit 1 if it does not run or something failed, 0 on warnings',
    )
    .option(
      '--alive',
      'only check whether the server answers, for health checks that restart it; ignores paused routes',
    )
    .option(...WARNINGS_AS_ERRORS)
    .examples('sudo pushctl status', 'sudo pushctl status --json | jq .warnings', 'pushctl status --alive')
    .action(async ({ alive = false, ...options }: FailOptions & { readonly alive?: boolean }) => {
      if (alive) return showAlive(context);
      const { noteOnReading, noteWhereOthers, readSocketOf } = await import('../../data-folder.ts');
      const collect = await import('../../status/collect.ts');
      const { statusReport } = await import('../../status/report.ts');
      const { config } = await context.loaded();
      const readSocket = readSocketOf(context, config);
      if (readSocket === null) noteWhereOthers(context, config);
      else noteOnReading(context, config);
      const isReader = readSocket !== null;
      const status = await (isReader ? collect.readStatus(readSocket) : collect.collectStatus(context));
      context.print(status, () => statusReport(context, status, { nowMs: Date.now(), isReader }));
      failWhere(context, status.warnings, options);
    });
}

/**
 * Asks for `GET /healthz`, which ignores paused routes, as restarts do not help. Loads few modules: containers ask
 * every 30 s.
 */
async function showAlive(context: CommandContext): Promise<void> {
  const config = await context.config();
  const { readSocketOf } = await import('../../data-folder.ts');
  const { socketPath } = await import('../../../store/data-folder.ts');
  const { askForItem } = await import('../../../store/transports/socket-client.ts');
  const path = readSocketOf(context, config) ?? socketPath(config.dataDir);
  const answer = await askForItem({ path, version: packageVersion(), call: 'alive' });
  if (answer === null) throw new OperatorProblem(`no server answers at ${path}.`);
  const { alive } = answer as { readonly alive: boolean };
  if (!alive) throw new OperatorProblem(`the server at ${path} hangs.`, 1, { advice: 'Restart it.' });
  context.print({ alive: true }, () => 'The server answers.');
}

export function addDoctor(program: Command, context: CommandContext): void {
  program
    .command('doctor')
    .description(
      'find problems that keep pushes from arriving, and say how to fix them; exit 1 on a failure, 0 on warnings',
    )
    .option(...WARNINGS_AS_ERRORS)
    .examples('sudo pushctl doctor', 'sudo pushctl doctor --json')
    .action(async (options: FailOptions) => {
      const findings = await lookAt(context);
      context.print({ findings }, () => findingLines(context, findings));
      failWhere(context, findings, options);
    });
}

/** Opens the running servers' store; null: none answers, so doctor signs its own tokens. */
async function runningStore(loaded: Loaded): Promise<StoreClient | null> {
  const { openRunningStoreOf } = await import('../../store.ts');
  return openRunningStoreOf(loaded).catch(() => null);
}

/** Gathers the findings, mistakes of the configuration included. */
async function lookAt(context: CommandContext): Promise<readonly Finding[]> {
  const { withBroken } = await import('../../loaded.ts');
  const { noteWhereOthers } = await import('../../data-folder.ts');
  const { examine } = await import('../../../host/doctor/doctor.ts');
  const { TokenKeeper } = await import('../../../providers/signing/tokens.ts');
  const { tokenShelf } = await import('../../../store/client.ts');
  try {
    const loaded = await context.loaded();
    noteWhereOthers(context, loaded.config);
    const clock = systemClock();
    const store = await runningStore(loaded);
    try {
      const tokens = new TokenKeeper(clock, store && tokenShelf(store));
      return withBroken(loaded, await examine({ ...loaded, version: packageVersion(), clock }, tokens));
    } finally {
      await store?.close();
    }
  } catch (error) {
    if (!(error instanceof OperatorProblem)) throw error;
    return [fail('configuration', error.message, 'fix that, then run this again: the other checks depend on it')];
  }
}

export function addNode(program: Command, context: CommandContext): void {
  program
    .command('node')
    .description('the servers that share a PostgreSQL database')
    .examples('pushctl node list')
    .command('list')
    .description('list the servers that share the database, with their state, version and start')
    .examples('sudo pushctl node list', 'sudo pushctl node list --json | jq .nodes[].version')
    .action(() => list(context));
}

async function list(context: CommandContext): Promise<void> {
  const { databaseOf } = await import('../../../config/database.ts');
  const database = databaseOf(await context.config());
  if (database === null) {
    throw new OperatorProblem('one server serves the data folder, so there are no nodes', 1, {
      advice: '`pushctl status` shows the server. Nodes exist only if [store] url names a shared database.',
    });
  }
  const { listNodes } = await import('../../../store/postgres/nodes/states.ts');
  const { nodeDocument, nodeTable } = await import('../../output/node-table.ts');
  const nodes = (await listNodes(database.url)).map(nodeDocument);
  context.print({ nodes }, () => nodeTable(context, nodes));
}
