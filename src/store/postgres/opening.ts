import { OperatorProblem } from '../../process/problem.ts';
import { refuseOthers } from './abilities.ts';
import { type Connection, type ConnectionSettings, type Connections, connectionsTo } from './connections.ts';
import { openingProblem } from './errors.ts';

/** 14.0: oldest tested. */
const OLDEST_SERVER = 140_000;

/** Works with a database not opened as a store. Rejects with an `OperatorProblem` if it is unusable. */
export async function withConnections<T>(
  settings: ConnectionSettings,
  work: (connections: Connections) => Promise<T>,
): Promise<T> {
  const connections = connectionsTo(settings);
  try {
    return await work(connections);
  } catch (error) {
    throw openingProblem(connections.place, error);
  } finally {
    await connections.close();
  }
}

/** Throws an `OperatorProblem` if the server is too old, or the database unsuitable. */
export async function refuseServer(connection: Connection, place: string): Promise<void> {
  const { sql } = connection;
  await refuseOthers(connection, place);
  const version = Number(await sql.value<object, string>('SHOW server_version_num')({}));
  const schema = await sql.value<object, string | null>('SELECT current_schema()')({});
  const encoding = await sql.value<object, string>('SHOW server_encoding')({});
  if (version < OLDEST_SERVER) {
    const found = `${Math.floor(version / 10_000)}.${version % 10_000}`;
    throw new OperatorProblem(`${place} is PostgreSQL ${found}; pushctl needs 14 or newer.`, 1, {
      advice: 'Upgrade the server.',
    });
  }
  if (schema === null) {
    throw new OperatorProblem(`${place} has no schema that its user may use.`, 1, {
      advice: 'Create a schema in its search_path, and GRANT CREATE, USAGE ON it.',
    });
  }
  if (encoding !== 'UTF8') {
    throw new OperatorProblem(`${place} stores texts as ${encoding}.`, 1, {
      advice: "Create the database with ENCODING 'UTF8'.",
    });
  }
}
