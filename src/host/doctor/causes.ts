import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Finding, fail, type Setting } from '../../process/finding.ts';

export interface BrokenFile {
  readonly setting: Setting;
  readonly file: string;
  readonly finding: Finding;
}

/** Merges findings by cause: files missing with their folder count as that folder. */
export function brokenFileFindings(broken: readonly BrokenFile[]): readonly Finding[] {
  const byFolder = Map.groupBy(broken, ({ file }) => missingFolder(file) ?? file);
  return [...byFolder].flatMap(([folder, group]) => {
    const files = group.map(({ file }) => file);
    const [first, second] = group;
    if (first === undefined || second === undefined || files.includes(folder)) {
      return group.map(({ finding, file }) => ({ ...finding, files: [file] }));
    }
    const message = `the folder ${folder} does not exist; it should hold ${group.map(({ setting }) => setting).join(', ')}`;
    return [{ ...fail(first.setting, message, 'restore the folder with its files, or change these settings'), files }];
  });
}

/** Returns the highest missing folder above a file; null: none, or it cannot be checked. */
function missingFolder(file: string): string | null {
  const above = dirname(file);
  if (above === file || !isMissing(above)) return null;
  return missingFolder(above) ?? above;
}

function isMissing(folder: string): boolean {
  try {
    statSync(folder);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

/** Merges a server that accepts nothing because the disk is full into the finding about the disk. */
export function withFullDisk(findings: readonly Finding[]): readonly Finding[] {
  const disk = findings.find(({ check, status }) => check === 'disk' && status === 'fail');
  const refusal = findings.find(({ stops, message }) => stops === 'events' && message.includes('SQLITE_FULL'));
  if (disk === undefined || refusal === undefined) return findings;
  const cause = { ...disk, message: `${disk.message}, so the server accepts no events`, stops: 'events' } as const;
  return findings.flatMap((finding) => (finding === refusal ? [] : finding === disk ? cause : finding));
}

/** Findings that something is down, with the reason. */
const KEPT: ReadonlySet<string> = new Set(['server', 'systemd', 'configuration']);

/** Leaves out findings that repeat an unusable file's. */
export function withoutRepeats(findings: readonly Finding[]): readonly Finding[] {
  const repeats = new Set<Finding>();
  const causes = findings.map((finding) => {
    const { files = [] } = finding;
    const found = findings.filter((other) => isRepeat(other) && files.some((file) => isQuoted(other, file)));
    for (const repeat of found) repeats.add(repeat);
    return { finding, affected: [...new Set(found.map(({ check }) => check))] };
  });
  return causes.flatMap(({ finding, affected }) => {
    if (repeats.has(finding)) return [];
    return affected.length === 0 ? finding : { ...finding, message: withAffected(finding.message, affected) };
  });
}

const AFFECTED = '; affected: ';

function withAffected(message: string, checks: readonly string[]): string {
  return `${message}${message.includes(AFFECTED) ? ', ' : AFFECTED}${checks.join(', ')}`;
}

function isRepeat({ status, check, files }: Finding): boolean {
  return status !== 'ok' && files === undefined && !KEPT.has(check);
}

function isQuoted({ message }: Finding, file: string): boolean {
  return message.split(/[\s:;,']+/).some((word) => word === file || word === `${file}.`);
}
