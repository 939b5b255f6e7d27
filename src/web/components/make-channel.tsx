import { useRunWorkspaces } from '../session.ts';
import { channels as texts } from '../texts/devices.ts';

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
