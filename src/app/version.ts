/** As in package.json, which Workers cannot read; test/surface.test.ts compares the two. */
const VERSION = '0.1.0'

export function packageVersion(): string {
  return VERSION
}
