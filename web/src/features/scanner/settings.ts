import { storage } from '../../lib/storage'

/** Scanner settings stored in this browser (R-SCAN-7). */
export type ScannerSettings = { hasPermission: boolean; lastUsedCameraId: string | null }

const KEY = 'HTML5_QRCODE_DATA'
const NONE: ScannerSettings = { hasPermission: false, lastUsedCameraId: null }

/** Reads the settings; values of another program or version are replaced by defaults. */
export function readSettings(): ScannerSettings {
  try {
    const value: unknown = JSON.parse(storage.read(KEY) ?? 'null')
    if (typeof value !== 'object' || value === null) return NONE
    const { hasPermission, lastUsedCameraId } = value as Record<string, unknown>
    return {
      hasPermission: hasPermission === true,
      lastUsedCameraId: typeof lastUsedCameraId === 'string' && lastUsedCameraId !== '' ? lastUsedCameraId : null,
    }
  } catch {
    return NONE
  }
}

export function keepSettings(changes: Partial<ScannerSettings>): void {
  storage.write(KEY, JSON.stringify({ ...readSettings(), ...changes }))
}
