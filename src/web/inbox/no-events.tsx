import { Command } from '../components/command.tsx';
import { Empty } from '../components/empty.tsx';
import { useRunWorkspaces } from '../session.ts';
import { noEvents as texts } from '../texts/inbox.ts';

export default function NoEvents({ isFiltered }: { readonly isFiltered: boolean }) {
  const run = useRunWorkspaces();
  if (isFiltered) {
    return (
      <Empty title={texts.nonePass}>
        <p>
          <a class="link" href="/">
            {texts.showAll}
          </a>
        </p>
      </Empty>
    );
  }
  return (
    <Empty title={texts.title}>
      <p>{texts.subscribe}</p>
      <p>
        <a class="link" href="/devices">
          {texts.toDevices}
        </a>
      </p>
      {run.length > 0 && (
        <>
          <p>{texts.send}</p>
          {run.map(({ slug, name }) => (
            <p key={slug}>
              <a class="link" href={`/w/${slug}/keys`}>
                {texts.toKeys(name)}
              </a>
            </p>
          ))}
          <Command text={curl(location.origin)} />
        </>
      )}
    </Empty>
  );
}

function curl(origin: string): string {
  return `curl ${origin}/api/v1/events \\
  -H 'Authorization: Bearer pctl_…' -H 'Content-Type: application/json' \\
  -d '{"channel": "…", "title": "It works"}'`;
}
