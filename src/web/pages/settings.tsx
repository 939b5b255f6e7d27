import { IdentityDialog } from '../components/dialogs/identity-dialog.tsx';
import { Page } from '../components/page.tsx';
import { Account } from '../settings/account.tsx';
import { Appearance } from '../settings/appearance.tsx';
import { Calendar } from '../settings/calendar.tsx';
import { Keys } from '../settings/keys.tsx';
import { Language } from '../settings/language.tsx';
import { Notifications } from '../settings/notifications.tsx';
import { PairDevice } from '../settings/pair-device.tsx';
import { Passkeys } from '../settings/passkeys.tsx';
import { Password } from '../settings/password.tsx';
import { Sessions } from '../settings/sessions.tsx';
import { Workspaces } from '../settings/workspaces.tsx';
import { Writing } from '../settings/writing.tsx';
import '../styles/parts.css';
import '../styles/devices.css';
import { settings as texts } from '../texts/account.ts';

export default function Settings() {
  return (
    <Page title={texts.title}>
      <Account />
      <PairDevice />
      <Sessions />
      <Workspaces />
      <Passkeys />
      <Password />
      <Calendar />
      <Notifications />
      <Appearance />
      <Language />
      <Writing />
      <Keys />
      <IdentityDialog />
    </Page>
  );
}
