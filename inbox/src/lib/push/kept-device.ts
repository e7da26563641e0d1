import { BASE_PATH } from '../base-path.ts'

/** What the service worker needs to name a new endpoint by itself; see public/sw.js. */
export interface KeptDevice {
  readonly endpoint: string
  readonly key: string
  readonly renewal: string
}

/** Keeps it for the service worker; undefined: forgets it. */
export function keepDevice(device: KeptDevice | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(`countersign-device${BASE_PATH}/`, 1)
    opening.onupgradeneeded = () => opening.result.createObjectStore('device')
    opening.onerror = () => reject(opening.error)
    opening.onsuccess = () => {
      const database = opening.result
      const work = database.transaction('device', 'readwrite')
      const devices = work.objectStore('device')
      if (device === undefined) devices.delete('own')
      else devices.put(device, 'own')
      work.onerror = () => reject(work.error)
      work.oncomplete = () => {
        database.close()
        resolve()
      }
    }
  })
}
