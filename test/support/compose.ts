import { readFileSync } from 'node:fs';
import { packagePath } from '../../src/process/package.ts';

/** The settings of compose.yaml. `examples`: with those that are commented out. */
export function composeSettings({ examples = false } = {}): Readonly<Record<string, string>> {
  const text = readFileSync(packagePath('systemd', 'container', 'compose.yaml'), 'utf8');
  const anchors = new Map(Array.from(text.matchAll(/: &(\w+) (.+)$/gm), ([, name, value]) => [`*${name}`, value]));
  const lines = text.matchAll(examples ? /^ {6}#?(PUSHCTL_\w+): (.+)$/gm : /^ {6}(PUSHCTL_\w+): (.+)$/gm);
  return Object.fromEntries(
    Array.from(lines, ([, name, value = '']) => [name, anchors.get(value) ?? value.replace(/^\$\{\w+:-(.*)\}$/, '$1')]),
  );
}
