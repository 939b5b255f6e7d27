import type { WebPushRoute } from '../../contract/push-services.ts';
import type { PushService } from './service.ts';
import { apple } from './services/apple.ts';
import { google } from './services/google.ts';
import { microsoft } from './services/microsoft.ts';
import { mozilla } from './services/mozilla.ts';
import { other } from './services/other.ts';

export const SERVICES: Readonly<Record<WebPushRoute, PushService>> = {
  webpush_google: google,
  webpush_mozilla: mozilla,
  webpush_apple: apple,
  webpush_microsoft: microsoft,
  webpush_other: other,
};
