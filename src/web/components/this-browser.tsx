import { useEffect, useState } from 'preact/hooks';
import { ask } from '../api/ask.ts';
import { useChange } from '../api/use-change.ts';
import { useLoad } from '../api/use-load.ts';
import { obstacleIn, surroundings } from '../push/obstacle.ts';
import { addThisDevice } from '../push/this-device.ts';
import { usePerson } from '../session.ts';
import { devices as texts } from '../texts/devices.ts';
import { Button } from './button.tsx';
import { Skeleton } from './loading.tsx';
import { ProblemNote } from './problem-note.tsx';

/** Offers to make this browser a device, or shows the obstacle. */
export function ThisBrowser() {
  const { data: server, problem, reload } = useLoad('webpush', () => ask('get', '/v1/webpush', {}));
  const [obstacle, setObstacle] = useState(() => obstacleIn(surroundings()));
  if (obstacle !== null) return <Callout {...texts.obstacles[obstacle]} />;
  if (problem !== null) return <ProblemNote problem={problem} retry={reload} />;
  if (server === null) return <Skeleton label={texts.here} rows={1} />;
  if (!server.contact_configured) return <Callout {...texts.notConfigured} />;
  return <Offer publicKey={server.public_key} failed={() => setObstacle(obstacleIn(surroundings()))} />;
}

function Callout({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <div class="paper stack">
      <h3>{title}</h3>
      <p>{text}</p>
    </div>
  );
}

interface OfferProps {
  readonly publicKey: string;
  readonly failed: () => void;
}

function Offer({ publicKey, failed }: OfferProps) {
  const { isWorking, problem, make } = useChange();
  const email = usePerson()?.user.email ?? '';
  const isLong = useIsLong(isWorking);
  // Nothing may be awaited before asking the browser, which needs a click.
  const add = async (): Promise<void> => {
    if ((await make(() => addThisDevice(email, publicKey))) === null) failed();
  };
  return (
    <div class="paper stack">
      <h3>{texts.offer.title}</h3>
      <p>{texts.offer.text}</p>
      <ProblemNote problem={problem} />
      <Button
        text={isWorking ? texts.offer.adding : texts.offer.add}
        class="primary"
        isWorking={isWorking}
        onClick={add}
      />
      <p class="hint" role="status">
        {isLong && texts.offer.mayTakeLong}
      </p>
    </div>
  );
}

/** Some push services take half a minute. */
const LONG_MS = 5_000;

/** Returns whether something takes noticeably long. */
function useIsLong(isWorking: boolean): boolean {
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    if (!isWorking) return;
    const timer = setTimeout(() => setLong(true), LONG_MS);
    return () => {
      clearTimeout(timer);
      setLong(false);
    };
  }, [isWorking]);
  return isLong;
}
