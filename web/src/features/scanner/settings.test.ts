import { describe, expect, it, vi } from 'vitest'
import { keepSettings, readSettings } from './settings'

const KEY = 'HTML5_QRCODE_DATA'

describe('R-SCAN-7: settings in browser storage', () => {
  it('keeps the permission and the last camera', () => {
    keepSettings({ hasPermission: true, lastUsedCameraId: 'rear' })
    expect(JSON.parse(localStorage.getItem(KEY) ?? '')).toEqual({ hasPermission: true, lastUsedCameraId: 'rear' })
    keepSettings({ hasPermission: false })
    expect(readSettings()).toEqual({ hasPermission: false, lastUsedCameraId: 'rear' })
  })

  it.each([
    null,
    '',
    'null',
    '7',
    '"text"',
    '[]',
    '{',
    '{"hasPermission":"yes","lastUsedCameraId":5}',
    '{"lastUsedCameraId":""}',
  ])('reads %s as nothing kept', (stored) => {
    if (stored !== null) localStorage.setItem(KEY, stored)
    expect(readSettings()).toEqual({ hasPermission: false, lastUsedCameraId: null })
  })

  it('goes on without storage', () => {
    vi.spyOn(Storage.prototype, 'getItem').mockImplementation(() => {
      throw new DOMException('blocked', 'SecurityError')
    })
    vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
      throw new DOMException('full', 'QuotaExceededError')
    })
    expect(() => keepSettings({ hasPermission: true })).not.toThrow()
    // Storage is blocked, so the settings are kept in memory for the life of the page (W15).
    expect(readSettings()).toEqual({ hasPermission: true, lastUsedCameraId: null })
  })
})
