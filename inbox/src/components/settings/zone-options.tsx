const ZONES = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')]

/** Every time zone this browser knows, and the chosen one where it goes by another of its names. */
export function ZoneOptions({ chosen }: { chosen: string }) {
  const isListed = chosen === '' || ZONES.includes(chosen)
  return (isListed ? ZONES : [chosen, ...ZONES]).map((one) => (
    <option key={one} value={one}>
      {one.replaceAll('_', ' ')}
    </option>
  ))
}
