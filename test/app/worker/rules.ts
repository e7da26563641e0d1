/** Rules of every host in the tests of mounting. */
export const RULES = {
  tools: { read: { approval: false }, pay: { approval: true } },
} as const
