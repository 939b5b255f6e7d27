import { readSchema, type SettingSchema } from './settings.ts';

const WIDTH = 110;

/** A configuration file in which every setting is explained and commented out: systemd/pushctl.toml. */
export function exampleConfig(schema: SettingSchema = readSchema()): string {
  const entries = Object.entries(schema.properties ?? {});
  const settings = entries.filter(([, { properties }]) => properties === undefined);
  const tables = entries.filter(([, { properties }]) => properties !== undefined);
  const blocks = [
    comment(`${schema.title}. ${schema.description}`),
    ...settings.map(([name, entry]) => setting(name, entry)),
    ...tables.map(([name, entry]) => table(name, entry)),
  ];
  return `${blocks.join('\n\n')}\n`;
}

function table(name: string, { description, properties }: SettingSchema): string {
  const settings = Object.entries(properties ?? {}).map(([inner, entry]) => setting(inner, entry));
  return [`${comment(description)}\n#[${name}]`, ...settings].join('\n');
}

function setting(name: string, entry: SettingSchema): string {
  const value = entry.default ?? entry.examples?.[0];
  return `${comment(entry.description)}\n#${name} = ${JSON.stringify(value)}`;
}

/** `# ` marks prose, `#` alone a line to uncomment. */
function comment(text = ''): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line.length + word.length + 1 > WIDTH) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.map((line) => `# ${line}`).join('\n');
}
