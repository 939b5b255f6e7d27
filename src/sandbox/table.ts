import type { ProviderName } from '../push.ts';
import { fakeApns } from './apns/fake.ts';
import { fakeFcm } from './fcm/fake.ts';
import { fakeWebPush } from './webpush/fake.ts';

export const FAKES = { apns: fakeApns, fcm: fakeFcm, webpush: fakeWebPush } satisfies Record<ProviderName, unknown>;

type Fakes = typeof FAKES;
export type KeysOf<P extends ProviderName> = Awaited<ReturnType<Fakes[P]['makeKeys']>>;
export type RunningOf<P extends ProviderName> = Awaited<ReturnType<Fakes[P]['start']>>;
