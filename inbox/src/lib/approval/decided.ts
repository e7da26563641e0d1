/** Every status of a call that is no longer waiting for people. */
export const DECIDED = ['approved', 'denied', 'expired', 'withdrawn', 'invalidated'] as const
