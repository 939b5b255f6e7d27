import type { ComponentChildren } from 'preact';
import type { Schema } from '../../api/client.ts';
import { Moment } from '../../components/moment.tsx';
import { listed } from '../../format/locale.ts';
import { common } from '../../texts/common.ts';
import { keys as texts } from '../../texts/senders.ts';
import { FoldedLine } from '../folded-line.tsx';
import { Fact } from '../line.tsx';

interface Props {
  readonly apiKey: Schema<'ApiKey'>;
  /** The names of channels by slug. */
  readonly names: ReadonlyMap<string, string>;
  readonly onAsk: (what: 'rotate' | 'revoke') => void;
}

/** Shows a key and its use while closed; open, its rights. */
export function KeyRow({ apiKey: key, names, onAsk }: Props) {
  const isActive = key.status === 'active';
  const name = key.successor === null ? key.name : texts.old(key.name);
  return (
    <FoldedLine
      name={name}
      hasEnded={!isActive}
      facts={
        <>
          {!isActive && <Fact>{texts.hasStatus[key.status]}</Fact>}
          <Fact isWide>{key.last_used_at === null ? texts.neverUsed : dated(texts.used, key.last_used_at)}</Fact>
        </>
      }
    >
      <p class="entry-meta mono">pctl_{key.id}_…</p>
      <p class="entry-meta">
        {partsOf(key, names).map((part, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: their order is fixed
          <span key={index}>{part}</span>
        ))}
      </p>
      {isActive && (
        <div class="actions">
          <button type="button" aria-label={texts.rotateNamed(name)} onClick={() => onAsk('rotate')}>
            {texts.rotate}
          </button>
          <button type="button" class="danger" aria-label={texts.revokeNamed(name)} onClick={() => onAsk('revoke')}>
            {texts.revoke}
          </button>
        </div>
      )}
    </FoldedLine>
  );
}

function partsOf(key: Schema<'ApiKey'>, names: Props['names']): readonly ComponentChildren[] {
  const channels = key.channels?.map((slug) => names.get(slug) ?? slug);
  const parts = [
    listed(key.scopes.map((scope) => texts.may[scope])),
    channels === undefined ? texts.anyChannel : listed(channels) || texts.noChannel,
    key.burst_per_minute !== null && texts.burstIs(key.burst_per_minute),
    key.level !== null && texts.levelIs(common.levels[key.level]),
    key.delivery_urgency !== null && texts.urgencyIs[key.delivery_urgency],
    key.last_used_at === null ? texts.neverUsed : dated(texts.used, key.last_used_at),
    dated(texts.created, key.created_at),
    key.status === 'revoked' && texts.hasStatus.revoked,
    key.expires_at !== null &&
      dated(key.status === 'expired' ? texts.hasStatus.expired : texts.expiresAt, key.expires_at),
  ];
  return parts.filter((part) => part !== false);
}

function dated(what: string, at: string): ComponentChildren {
  return [what, ' ', <Moment key="" at={at} dated />];
}
