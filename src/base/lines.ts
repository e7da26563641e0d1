/** A line's bytes without its newline; undefined when it was longer than a line may be. */
export type Line = Uint8Array | undefined

export interface Splitter {
  /** The lines that end in this chunk. */
  push(chunk: Uint8Array): Line[]
  /** What follows the last newline, unless that is nothing. */
  end(): Line[]
}

const NEWLINE = 10

/** Cuts a stream of bytes into lines and never holds more than one of them. */
export function createSplitter(longest: number): Splitter {
  let held: Uint8Array[] = []
  let length = 0

  const hold = (piece: Uint8Array) => {
    length += piece.length
    // A line that is too long is only counted from here on.
    if (length > longest) held = []
    // A copy: the chunk belongs to the reader, who fills it again.
    else if (piece.length > 0) held.push(new Uint8Array(piece))
  }
  const finish = (piece: Uint8Array): Line => {
    if (length === 0 && piece.length <= longest) return piece
    hold(piece)
    const line = length > longest ? undefined : joined(held, length)
    held = []
    length = 0
    return line
  }
  return {
    push(chunk) {
      const lines: Line[] = []
      let at = 0
      for (;;) {
        const next = chunk.indexOf(NEWLINE, at)
        if (next < 0) break
        lines.push(finish(chunk.subarray(at, next)))
        at = next + 1
      }
      if (at < chunk.length) hold(chunk.subarray(at))
      return lines
    },
    end: () => (length === 0 ? [] : [finish(new Uint8Array())]),
  }
}

function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length)
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}
