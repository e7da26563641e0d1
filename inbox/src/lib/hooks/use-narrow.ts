import { useEffect, useState } from 'react'

/** Whether the page is this narrow; follows the window. */
export function useNarrow(): boolean {
  const [narrow, setNarrow] = useState(() => matchMedia('(width < 761px)').matches)
  useEffect(() => {
    const query = matchMedia('(width < 761px)')
    const follow = () => setNarrow(query.matches)
    query.addEventListener('change', follow)
    return () => query.removeEventListener('change', follow)
  }, [])
  return narrow
}
