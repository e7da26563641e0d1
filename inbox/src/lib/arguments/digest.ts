/** `27f5 76ca … 2e29`: enough to compare by eye, with the whole one a click away. */
export function shortDigest(digest: string): string {
  const hex = hexOf(digest)
  return hex.length <= 16 ? hex : `${hex.slice(0, 4)} ${hex.slice(4, 8)} … ${hex.slice(-4)}`
}

/** All of it, in eights. */
export function digestGroups(digest: string): readonly string[] {
  return hexOf(digest).match(/.{1,8}/g) ?? []
}

function hexOf(digest: string): string {
  return digest.replace(/^sha256[:-]/i, '')
}
