/** Part of an address, without its escapes; as it is where they are broken, as a half of a link may be. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
