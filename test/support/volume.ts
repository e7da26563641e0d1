/**
 * How many random cases: a fixed sample in `npm test`, many more in `npm run proof volume`, which
 * runs every test file that imports this one.
 */
export function volume(sample: number, proof: number): number {
  return process.env.COUNTERSIGN_VOLUME === 'proof' ? proof : sample
}
