import { OperatorProblem } from '../../process/problem.ts';
import type { Command } from '../command.ts';
import type { CommandContext } from '../context.ts';

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
  const { databaseOf } = await import('../../config/database.ts');
  const database = databaseOf(await context.config());
  if (database === null) {
    throw new OperatorProblem('one server serves the data folder, so there are no nodes', 1, {
      advice: '`pushctl status` shows the server. Nodes exist only if [store] url names a shared database.',
    });
  }
  const { listNodes } = await import('../../store/postgres/nodes/states.ts');
  const { nodeDocument, nodeTable } = await import('../output/node-table.ts');
  const nodes = (await listNodes(database.url)).map(nodeDocument);
  context.print({ nodes }, () => nodeTable(context, nodes));
}
