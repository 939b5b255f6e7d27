/** The variable by which the runner passes its files which PostgreSQL they share: the folder of its socket. */
export const CLUSTER_FOLDER = 'TEST_POSTGRES_FOLDER';
