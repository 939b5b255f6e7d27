/** Starts a PostgreSQL in the folder that it is given, says so, and holds it until it is killed. */
import { startCluster } from './postgres-cluster.ts';

await startCluster(process.argv[2] ?? '');
process.stdout.write('started\n');
setInterval(() => {}, 60_000);
