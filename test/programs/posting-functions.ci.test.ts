import { suite } from 'uvu';
import { step } from './generated-clients.ts';
import { testPosting } from './posting-functions.ts';

const test = suite('functions of docs/clients.md in other languages');

testPosting(test, {
  language: 'python',
  needs: ['python3', '--version'],
  timeout: ['timeout=10)', 'timeout=3)'],
  file: 'push.py',
  program: (code) => `${code}\nimport sys\nprint(json.dumps(push(json.loads(sys.argv[1]))))\n`,
  build: async (_, file) => ['python3', file],
});

testPosting(test, {
  language: 'go',
  needs: ['go', 'version'],
  timeout: ['10 * time.Second,', '3 * time.Second,'],
  file: 'push.go',
  program: (code) =>
    `package main\n${code}\nfunc main() {
      answer, err := push([]byte(os.Args[1]))
      fmt.Printf("%s %v", answer, err)
      if err != nil {
        os.Exit(1)
      }
    }\n`,
  async build(folder, file) {
    await step(folder, ['go', 'build', '-o', 'push', file]);
    return [`${folder}/push`];
  },
});

testPosting(test, {
  language: 'php',
  needs: ['php', '-r', 'exit(defined("CURLINFO_RETRY_AFTER") ? 0 : 1);'],
  timeout: ['TIMEOUT => 10,', 'TIMEOUT => 3,'],
  file: 'push.php',
  program: (code) => `<?php\n${code}\necho json_encode(push(json_decode($argv[1], true)));\n`,
  build: async (_, file) => ['php', file],
});

test.run();
