import { secretTokens } from './secret-token.ts';

/** The only right of a device token is to report shown pushes. */
export const { create: createDeviceToken, parse: parseDeviceToken } = secretTokens('pdev_');
