import { useRunWorkspaces } from '../session.ts';
import { texts } from '../texts/channels.ts';

/** Where there is no channel: what one is, and for those who can make one, the way. */
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
