import { useState } from 'preact/hooks';
import { change } from '../api/ask.ts';
import type { Schema } from '../api/client.ts';
import { useChange } from '../api/use-change.ts';
import { Command } from '../components/command.tsx';
import { Section } from '../components/page.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { QrCode } from '../components/qr-code.tsx';
import { msOf, times } from '../format/time.ts';
import { settings as texts } from '../texts/account.ts';

/** Offers a link, QR code and pairing code for another device's sign-in. */
export function PairDevice() {
  const [pairing, setPairing] = useState<Schema<'Pairing'> | null>(null);
  const { isWorking, problem, make } = useChange();
  const pair = async (): Promise<void> => {
    const made = await make(() => change('post', '/v1/session/pairing', {}));
    if (made !== null) setPairing(made.data);
  };
  return (
    <Section title={texts.pair.title}>
      <div class="paper stack">
        <p>{texts.pair.text}</p>
        <ProblemNote problem={problem} />
        {pairing !== null && <Ways pairing={pairing} />}
        <button type="button" aria-disabled={isWorking} onClick={() => void pair()}>
          {pairing === null ? texts.pair.make : texts.pair.again}
        </button>
      </div>
    </Section>
  );
}

function Ways({ pairing: { link, pairing_code, expires_at } }: { readonly pairing: Schema<'Pairing'> }) {
  return (
    <div class="ways" role="status">
      <QrCode text={link} label={texts.pair.qr} />
      <p>{texts.pair.scan}</p>
      <Command text={link} />
      <p>{texts.pair.type}</p>
      <Command text={pairing_code} />
      <p class="hint">
        {texts.pair.ends} <time dateTime={expires_at}>{times.clock(msOf(expires_at))}</time>.
      </p>
    </div>
  );
}
