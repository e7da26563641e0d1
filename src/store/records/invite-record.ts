/** An invitation, under the hash of its secret. Kept for a while after its end, to say what became of it. */
export const INVITE_RECORD = 'invite'
