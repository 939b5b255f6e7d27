import { useRunWorkspaces } from '../session.ts';
import { texts } from '../texts/channels.ts';

/** Explains channels if there are none, and leads users who can make one there. */
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
