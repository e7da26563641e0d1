/**
 * A name as it is, where it cannot be read as more words of the sentence; else in quotation marks.
 * Names of arguments come from calls, and `to is "us" and x` is a name as good as any other.
 */
export function nameWords(name: string): string {
  return /^[^\s,"()]+$/u.test(name) ? name : JSON.stringify(name)
}
