import { secretTokens } from './secret-token.ts';

/** A device token may only report shown pushes. */
export const { create: createDeviceToken, parse: parseDeviceToken } = secretTokens('pdev_');
