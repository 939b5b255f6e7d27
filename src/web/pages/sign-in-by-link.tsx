import '../styles/devices.css';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { Answer } from '../api/problem.ts';
import { useChange } from '../api/use-change.ts';
import { Button } from '../components/button.tsx';
import { Command } from '../components/command.tsx';
import { Page } from '../components/page.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { ThisBrowser } from '../components/this-browser.tsx';
import { kept } from '../push/kept.ts';
import { obstacleIn, surroundings } from '../push/obstacle.ts';
import { signOut } from '../push/this-device.ts';
import { dismissPairing, pairing, session, usePerson } from '../session.ts';
import { useShared } from '../shared.ts';
import { signIn as texts } from '../texts/account.ts';
import { common } from '../texts/common.ts';
import { devices } from '../texts/devices.ts';

/** Waits for a click: foreign links would sign in as their sender. */
export function ByLink({ code }: { readonly code: string }) {
  const { problem, isWorking, make } = useChange();
  const now = usePerson()?.user.email;
  const [isHere, setHere] = useState(obstacleIn(surroundings()) !== 'install-first');
  const redeemOrSignIn = async (): Promise<Answer<unknown>> => {
    const redeemed = now === undefined ? null : await session.redeem(code);
    if (!redeemed?.ok) return session.signIn({ pairing_code: code }, welcome);
    dismissPairing();
    return redeemed;
  };
  if (!isHere) return <InstallFirst code={code} stay={() => setHere(true)} />;
  return (
    <Page title={texts.title}>
      <p>{now === undefined ? texts.withLink : texts.replaces(now)}</p>
      <p class="hint">{texts.withLinkHint}</p>
      <ProblemNote
        problem={problem?.code === 'wrong_pairing_code' ? { ...problem, message: texts.linkIsOld } : problem}
      />
      {problem?.kind === 'refused' && <p class="hint">{texts.linkFailed}</p>}
      <div class="actions">
        <Button
          text={isWorking ? texts.working : now === undefined ? texts.submit : texts.useLink}
          class="primary"
          isWorking={isWorking}
          onClick={() => make(redeemOrSignIn)}
        />
        {(problem !== null || now !== undefined) && (
          <Button text={now === undefined ? texts.otherwise : texts.keep(now)} onClick={dismissPairing} />
        )}
      </div>
    </Page>
  );
}

/** Tells tab users on iOS to install the app. It shares nothing with the tab, so needs the valid code. */
function InstallFirst({ code, stay }: { readonly code: string; readonly stay: () => void }) {
  return (
    <Page title={texts.install.title}>
      <p>{texts.install.why}</p>
      <ol class="install-steps">
        <li>{texts.install.add}</li>
        <li>{texts.install.open}</li>
        <li>{texts.install.type}</li>
      </ol>
      <Command text={code} />
      <p class="hint">{texts.install.here}</p>
      <div class="actions">
        <Button text={texts.install.stay} onClick={stay} />
      </div>
    </Page>
  );
}

/** Shows the welcome next. */
export function welcome(): void {
  pairing.value = { kind: 'used' };
}

/** Greets after a link: names the account, and offers to add this device, people's usual goal. */
export function Welcome() {
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
        {isDevice && <Button text={texts.toChannels} class="primary" onClick={() => enter('/devices')} />}
        <Button text={texts.toInbox} onClick={() => enter('/')} />
        <Button text={common.actions.signOut} onClick={leave} />
      </div>
    </Page>
  );
}
