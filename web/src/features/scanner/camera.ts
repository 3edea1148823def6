import { t } from '../../lib/messages'
export type CameraProblem = 'insecure' | 'unsupported' | 'noCamera' | 'denied' | 'inUse' | 'failed'

/** Failure to get a picture; `problem` tells what the person can do about it. */
export class CameraError extends Error {
  override readonly name = 'CameraError'
  readonly problem: CameraProblem

  constructor(problem: CameraProblem, cause?: unknown) {
    super(`No picture from a camera: ${problem}`, { cause })
    this.problem = problem
  }
}

/** Camera properties of phones that the standard types lack. */
type Capabilities = MediaTrackCapabilities & { torch?: boolean; zoom?: { min: number; max: number } }
type Wishes = MediaTrackConstraintSet & { torch?: boolean; zoom?: number }

function problemOf(error: unknown): CameraProblem {
  switch (error instanceof Error ? error.name : '') {
    case 'NotFoundError':
    case 'OverconstrainedError':
      return 'noCamera'
    case 'NotAllowedError':
    case 'SecurityError':
      return 'denied'
    case 'NotReadableError':
    case 'AbortError':
      return 'inUse'
    default:
      return 'failed'
  }
}

function devices(): MediaDevices {
  // Contrary to the types, browsers without cameras and pages over plain http lack `mediaDevices`.
  const found = navigator.mediaDevices as MediaDevices | undefined
  if (typeof found?.getUserMedia !== 'function')
    throw new CameraError(window.isSecureContext ? 'unsupported' : 'insecure')
  return found
}

/** Resolution, large enough for fine bars; larger only if native to the camera. */
const SIZE: MediaTrackConstraints = {
  width: { ideal: 1280 },
  height: { ideal: 720 },
  advanced: [{ width: 1920, height: 1080 }],
}

/** Camera to open: exactly this one, or preferably the last one used and otherwise the rear one. */
export type CameraWish = { only: string } | { rather: string | null }

/** Opens a camera. If the last one is gone or in use, opens the rear one. */
export async function openCamera(wish: CameraWish): Promise<Camera> {
  const media = devices()
  const open = async (video: MediaTrackConstraints) => {
    try {
      return new Camera(await media.getUserMedia({ audio: false, video: { ...SIZE, ...video } }))
    } catch (error) {
      throw error instanceof CameraError ? error : new CameraError(problemOf(error), error)
    }
  }
  if ('only' in wish) return open({ deviceId: { exact: wish.only } })
  if (wish.rather !== null) {
    try {
      return await open({ deviceId: { exact: wish.rather } })
    } catch (error) {
      if (!(error instanceof CameraError && ['noCamera', 'inUse'].includes(error.problem))) throw error
    }
  }
  return open({ facingMode: { ideal: 'environment' } })
}

export type CameraChoice = { id: string; label: string }

/** Lists the cameras to choose from; they have names only after permission. */
export async function listCameras(): Promise<CameraChoice[]> {
  const all = await devices().enumerateDevices()
  return all
    .filter(({ kind, deviceId }) => kind === 'videoinput' && deviceId !== '')
    .map(({ deviceId, label }, at) => ({ id: deviceId, label: label || t('scanner.cameraNumber', { number: at + 1 }) }))
}

export const ZOOM = { min: 1, max: 5, step: 0.1 } as const

/** An open camera with its light and zoom. */
export class Camera {
  readonly stream: MediaStream
  readonly #track: MediaStreamTrack

  constructor(stream: MediaStream) {
    const [track] = stream.getVideoTracks()
    if (!track) throw new CameraError('noCamera')
    this.stream = stream
    this.#track = track
  }

  get id(): string | null {
    return this.#track.getSettings().deviceId ?? null
  }

  #capabilities(): Capabilities {
    // Older versions of Firefox lack `getCapabilities`.
    return typeof this.#track.getCapabilities === 'function' ? this.#track.getCapabilities() : {}
  }

  get hasTorch(): boolean {
    return this.#capabilities().torch === true
  }

  async setTorch(on: boolean): Promise<void> {
    const wish: Wishes = { torch: on }
    await this.#track.applyConstraints({ advanced: [wish] })
  }

  /** Zooms as far as the camera can; returns the remaining factor for digital enlargement. */
  async setZoom(factor: number): Promise<number> {
    const range = this.#capabilities().zoom
    if (!range || range.max <= range.min) return factor
    // Some cameras count from 1, some in percent.
    const unit = range.min > 0 ? range.min : 1
    const zoom = Math.min(range.max, Math.max(range.min, factor * unit))
    const wish: Wishes = { zoom }
    await this.#track.applyConstraints({ advanced: [wish] })
    return Math.max(1, factor / (zoom / unit))
  }

  /** Calls `react` when the camera is unplugged or its permission is revoked. */
  onEnded(react: () => void): void {
    this.#track.addEventListener('ended', react, { once: true })
  }

  close(): void {
    for (const track of this.stream.getTracks()) track.stop()
  }
}
