/** A set of small numbers, 32 to a word. */
export type Bits = Int32Array<ArrayBuffer>

export function bitsOf(size: number, members: readonly number[] = []): Bits {
  const bits = new Int32Array((size + 31) >>> 5)
  for (const member of members) add(bits, member)
  return bits
}

export function add(bits: Bits, member: number): void {
  bits[member >>> 5] = (bits[member >>> 5] ?? 0) | (1 << (member & 31))
}

export function has(bits: Bits, member: number): boolean {
  return (((bits[member >>> 5] ?? 0) >>> (member & 31)) & 1) === 1
}
