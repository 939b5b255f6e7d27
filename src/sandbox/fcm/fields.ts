/** FCM's `Message` fields by REST name, from the reference of projects.messages. */
export type FieldType =
  | 'string'
  | 'number'
  | 'boolean'
  | 'strings'
  | 'string map'
  | 'any'
  | 'duration'
  | readonly string[]
  | { readonly fields: Readonly<Record<string, FieldType>> };

type Fields = Readonly<Record<string, FieldType>>;

const FCM_OPTIONS: FieldType = { fields: { analytics_label: 'string', image: 'string', link: 'string' } };
const NOTIFICATION: Fields = { title: 'string', body: 'string', image: 'string' };

const ANDROID_NOTIFICATION: Fields = {
  ...NOTIFICATION,
  icon: 'string',
  color: 'string',
  sound: 'string',
  tag: 'string',
  click_action: 'string',
  body_loc_key: 'string',
  body_loc_args: 'strings',
  title_loc_key: 'string',
  title_loc_args: 'strings',
  channel_id: 'string',
  ticker: 'string',
  sticky: 'boolean',
  event_time: 'string',
  local_only: 'boolean',
  notification_priority: [
    'PRIORITY_UNSPECIFIED',
    'PRIORITY_MIN',
    'PRIORITY_LOW',
    'PRIORITY_DEFAULT',
    'PRIORITY_HIGH',
    'PRIORITY_MAX',
  ],
  default_sound: 'boolean',
  default_vibrate_timings: 'boolean',
  default_light_settings: 'boolean',
  vibrate_timings: 'strings',
  visibility: ['VISIBILITY_UNSPECIFIED', 'PRIVATE', 'PUBLIC', 'SECRET'],
  notification_count: 'number',
  light_settings: 'any',
  bypass_proxy_notification: 'boolean',
  proxy: ['PROXY_UNSPECIFIED', 'ALLOW', 'DENY', 'IF_PRIORITY_LOWERED'],
};

const MESSAGE_FIELDS: Fields = {
  name: 'string',
  data: 'string map',
  notification: { fields: NOTIFICATION },
  android: {
    fields: {
      collapse_key: 'string',
      // The service also takes firebase-admin's lower case.
      priority: ['NORMAL', 'HIGH', 'normal', 'high'],
      ttl: 'duration',
      restricted_package_name: 'string',
      data: 'string map',
      notification: { fields: ANDROID_NOTIFICATION },
      fcm_options: FCM_OPTIONS,
      direct_boot_ok: 'boolean',
      bandwidth_constrained_ok: 'boolean',
      restricted_satellite_ok: 'boolean',
    },
  },
  webpush: { fields: { headers: 'string map', data: 'string map', notification: 'any', fcm_options: FCM_OPTIONS } },
  apns: { fields: { headers: 'string map', payload: 'any', fcm_options: FCM_OPTIONS, live_activity_token: 'string' } },
  fcm_options: FCM_OPTIONS,
  token: 'string',
  fid: 'string',
  topic: 'string',
  condition: 'string',
};

export const REQUEST_FIELDS: Fields = { message: { fields: MESSAGE_FIELDS }, validate_only: 'boolean' };
