import { packageVersion } from '../../package.ts';
import { OperatorProblem } from '../../problem.ts';
import { askForItem } from '../../store/transports/socket-client.ts';

/**
 * Asks the server at this socket what `GET /healthz` answers: paused routes and the like are no reason to restart it.
 * Throws an `OperatorProblem` where it does not answer well.
 */
export async function requireAlive(socket: string): Promise<void> {
  const answer = await askForItem({ path: socket, version: packageVersion(), call: 'alive' });
  if (answer === null) throw new OperatorProblem(`no server answers at ${socket}.`);
  const { alive } = answer as { readonly alive: boolean };
  if (!alive) throw new OperatorProblem(`the server at ${socket} stands still.`, 1, { advice: 'Restart it.' });
}
