import { suite } from 'uvu';
import { testPosting } from './posting-functions.ts';

const test = suite('functions of docs/clients.md');

testPosting(test, {
  language: 'bash',
  needs: ['curl', '--version'],
  timeout: [' -m 10 ', ' -m 3 '],
  file: 'push.sh',
  program: (code) => `set -euo pipefail\n${code}\npush "$1"\n`,
  build: async (_, file) => ['bash', file],
});

testPosting(test, {
  language: 'js',
  needs: [process.execPath, '--version'],
  timeout: ['timeout(10_000)', 'timeout(3_000)'],
  file: 'push.mjs',
  program: (code) => `${code}\nconsole.log(JSON.stringify(await push(JSON.parse(process.argv[2]))));\n`,
  build: async (_, file) => [process.execPath, file],
});

test.run();
