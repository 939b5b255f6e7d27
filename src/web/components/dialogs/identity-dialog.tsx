import { useEffect, useState } from 'preact/hooks';
import { ask, question } from '../../api/ask.ts';
import { getPasskey, hasPasskeys } from '../../api/passkeys.ts';
import { goToProvider, useWays } from '../../api/provider.ts';
import { useChange } from '../../api/use-change.ts';
import { usePerson } from '../../session.ts';
import { useShared } from '../../shared.ts';
import { passkeys as passkeyTexts, provider as providerTexts, identity as texts } from '../../texts/account.ts';
import { Button } from '../button.tsx';
import { Field } from '../forms/fields.tsx';
import { fieldOf } from '../forms/form.ts';
import { FormEnd } from '../forms/form-dialog.tsx';
import { ProblemNote } from '../problem-note.tsx';
import { Dialog } from './dialog.tsx';

/**
 * Asks for a password, fresh pairing code or other proof before harmful acts. Every changing page includes it; the
 * question ends with the page.
 */
export function IdentityDialog() {
  const asked = useShared(question);
  // The question belongs to that page and its user.
  useEffect(() => () => question.value?.done(false), []);
  return asked === null ? null : <Identity done={(isConfirmed) => asked.done(isConfirmed)} />;
}

function Identity({ done }: { readonly done: (isConfirmed: boolean) => void }) {
  const [chosen, setBy] = useState<'password' | 'pairing_code'>('password');
  const { data: ways } = useWays();
  const by = ways?.password === false ? 'pairing_code' : chosen;
  const { problem, isWorking, make } = useChange();
  const [isGivenUp, setGivenUp] = useState(false);
  const email = usePerson()?.user.email;
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const proof = fieldOf(event, 'proof');
    const body = by === 'password' ? { password: proof } : { pairing_code: proof };
    if (await make(() => ask('post', '/v1/session/confirmation', { body }))) done(true);
  };
  const byPasskey = async (): Promise<void> => {
    const used = await make(getPasskey);
    setGivenUp(used !== null && used.data === null);
    const passkey = used?.data ?? null;
    if (passkey === null) return;
    if (await make(() => ask('post', '/v1/session/confirmation', { body: { passkey } }))) done(true);
  };
  return (
    <Dialog title={texts.title} onClose={() => done(false)}>
      <p class="dialog-text">{texts.text}</p>
      {ways !== null && ways.provider !== null && (
        <div class="stack">
          <Button text={providerTexts.confirm(ways.provider.name)} onClick={() => goToProvider({ confirm: true })} />
          <p class="hint">{providerTexts.confirmHint}</p>
        </div>
      )}
      <form class="form" onSubmit={(event) => void submit(event)}>
        {/* Tells password managers the user. */}
        <input type="text" name="username" autocomplete="username" value={email} readOnly hidden />
        <Field
          key={by}
          label={texts[by]}
          hint={by === 'pairing_code' ? texts.codeHint : undefined}
          error={problem?.fields[by]}
        >
          {by === 'password' ? (
            <input name="proof" type="password" required autocomplete="current-password" />
          ) : (
            <input name="proof" class="mono" required autocomplete="one-time-code" autocapitalize="characters" />
          )}
        </Field>
        <ProblemNote problem={problem} />
        {ways?.password !== false && (
          <Button
            text={by === 'password' ? texts.useCode : texts.usePassword}
            class="quiet"
            onClick={() => setBy(by === 'password' ? 'pairing_code' : 'password')}
          />
        )}
        {isGivenUp && <p class="hint">{passkeyTexts.notGiven}</p>}
        {hasPasskeys && <Button text={passkeyTexts.use} class="quiet" isWorking={isWorking} onClick={byPasskey} />}
        <FormEnd label={texts.confirm} problem={null} isWorking={isWorking} onClose={() => done(false)} />
      </form>
    </Dialog>
  );
}
