import type { ComponentChildren } from 'preact';
import { useRunWorkspaces } from '../session.ts';
import { channels as texts } from '../texts/devices.ts';

interface Props {
  readonly title: string;
  readonly children: ComponentChildren;
}

export function Empty({ title, children }: Props) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** Explains missing channels, and leads entitled users to make one. */
export function MakeChannel() {
  return (
    <>
      <p>{texts.none}</p>
      {useRunWorkspaces().map(({ slug, name }) => (
        <p key={slug}>
          <a class="link" href={`/w/${slug}/channels`}>
            {texts.make(name)}
          </a>
        </p>
      ))}
    </>
  );
}
