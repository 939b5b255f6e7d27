import type { ComponentChildren } from 'preact';
import type { Schema } from '../../api/client.ts';
import { Moment } from '../../components/moment.tsx';
import { listed } from '../../format/list.ts';
import { common } from '../../texts/common.ts';
import { texts } from '../../texts/keys.ts';

interface Props {
  readonly apiKey: Schema<'ApiKey'>;
  /** Of channels, by their slugs. */
  readonly names: ReadonlyMap<string, string>;
  /** It stands below the one that has taken its place. */
  readonly isOld?: boolean;
  readonly onAsk: (what: 'rotate' | 'revoke') => void;
}

export function KeyRow({ apiKey: key, names, isOld = false, onAsk }: Props) {
  const isActive = key.status === 'active';
  return (
    <li class={isOld ? 'entry entry-below' : 'entry'}>
      <div class="entry-text">
        <p class={isActive ? 'entry-name' : 'entry-name entry-ended'} dir="auto">
          {isOld ? texts.old(key.name) : key.name}
        </p>
        <p class="entry-meta mono">pctl_{key.id}_…</p>
        <p class="entry-meta">
          {partsOf(key, names).map((part, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: their order is fixed
            <span key={index}>{part}</span>
          ))}
        </p>
      </div>
      {isActive && (
        <div class="actions">
          {!isOld && (
            <button type="button" aria-label={texts.rotateNamed(key.name)} onClick={() => onAsk('rotate')}>
              {texts.rotate}
            </button>
          )}
          <button
            type="button"
            class="danger"
            aria-label={texts.revokeNamed(isOld ? texts.old(key.name) : key.name)}
            onClick={() => onAsk('revoke')}
          >
            {texts.revoke}
          </button>
        </div>
      )}
    </li>
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
    key.status === 'revoked' && texts.revoked,
    key.expires_at !== null && dated(key.status === 'expired' ? texts.expiredAt : texts.expiresAt, key.expires_at),
  ];
  return parts.filter((part) => part !== false);
}

function dated(what: string, at: string): ComponentChildren {
  return [what, ' ', <Moment key="" at={at} dated />];
}
