const SENTENCE = /^(?:The call(?: to \S+)?|A person changed the call to \S+) /

/** What the gate says instead of a result, or together with it, is text, whatever the tool gives. */
export function isSentence(output: unknown): output is string {
  return (
    typeof output === 'string' &&
    (SENTENCE.test(output) || output.startsWith('{"status":"cancelled"'))
  )
}
