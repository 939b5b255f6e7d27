import { useLocation } from 'preact-iso';
import { dismissPairing } from '../pairing.ts';
import { kept } from '../push/kept.ts';
import { usePerson } from '../session.ts';
import { useShared } from '../shared.ts';
import { Page } from './page.tsx';
import { ThisBrowser } from './this-browser.tsx';
import '../styles/devices.css';
import { signOut } from '../push/this-device.ts';
import { signIn as texts } from '../texts/account.ts';
import { common } from '../texts/common.ts';
import { devices } from '../texts/devices.ts';

/** Greets after a link: names the account, and offers to add this device, people's usual goal. */
export default function Welcome() {
  const user = usePerson()?.user;
  const isDevice = useShared(kept) !== null;
  const { route } = useLocation();
  const leave = async (): Promise<void> => {
    if ((await signOut()).ok) dismissPairing();
  };
  const enter = (path: string): void => {
    dismissPairing();
    route(path);
  };
  return (
    <Page title={texts.signedInAs(user?.name ?? '')}>
      {user?.name !== user?.email && <p>{user?.email}</p>}
      <p class="hint">{texts.whose}</p>
      <h2 class="said">{devices.here}</h2>
      {isDevice ? <p class="note">{texts.isDevice}</p> : <ThisBrowser />}
      <div class="actions">
        {isDevice && (
          <button class="primary" type="button" onClick={() => enter('/devices')}>
            {texts.toChannels}
          </button>
        )}
        <button type="button" onClick={() => enter('/')}>
          {texts.toInbox}
        </button>
        <button type="button" onClick={() => void leave()}>
          {common.actions.signOut}
        </button>
      </div>
    </Page>
  );
}
