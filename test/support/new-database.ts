/** The variable by which the runner tells its files where a new database of SQLite is, or is to be put, to be copied. */
export const NEW_DATABASE = 'TEST_NEW_DATABASE';
