import { useEffect, useRef, useState } from 'react'

/** Long enough that a finger already on its way does not decide what it has not seen. */
export const ARM_MS = 500

/** False for a moment after `content` changed, and while the page is in the background. */
export function useArmed(content: string): boolean {
  const [armed, setArmed] = useState<string>()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    const arm = () => {
      clearTimeout(timer.current)
      setArmed(undefined)
      if (document.visibilityState !== 'visible') return
      timer.current = setTimeout(() => setArmed(content), ARM_MS)
    }
    arm()
    document.addEventListener('visibilitychange', arm)
    return () => {
      clearTimeout(timer.current)
      document.removeEventListener('visibilitychange', arm)
    }
  }, [content])
  return armed === content
}
