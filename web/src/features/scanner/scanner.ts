import { Acceptance, type ScanResult } from './acceptance'
import {
  CameraError,
  listCameras,
  openCamera,
  ZOOM,
  type Camera,
  type CameraChoice,
  type CameraProblem,
  type CameraWish,
} from './camera'
import type { Preprocessing } from './decode'
import { boxFor, regionUnder, type Frame, type Region } from './frames'
import { nextState, allows, RefusedTransition, type ScanAction, type ScanState } from './machine'
import { keepSettings, readSettings } from './settings'

/** 20 frames per second (R-SCAN-1). */
const TICK_MS = 50
/** Time without a read after which the card is probably held at an angle, milliseconds. */
const TURN_AFTER_MS = 1000

const USUAL: readonly Preprocessing[] = ['plain', 'localContrast']
const PATIENT: readonly Preprocessing[] = [
  'plain',
  'localContrast',
  'rotatedLeft',
  'plain',
  'localContrast',
  'rotatedRight',
  'plain',
  'localContrast',
  'rotated45',
]

export type ScanProblem = CameraProblem | 'lost' | 'decoder'

export type ScanView = {
  state: ScanState
  /** True between the request for the camera and its first picture. */
  opening: boolean
  problem: ScanProblem | null
  cameras: readonly CameraChoice[]
  cameraId: string | null
  /** True if the light is on; null for a camera without one. */
  torch: boolean | null
  torchProblem: 'on' | 'off' | null
  zoom: number
  /** Digital enlargement beyond the camera's zoom. */
  enlarged: number
  /** Side of the scan box; null if there is no room for one. */
  box: number | null
}

type FrameReader = { readFrame: (frame: Frame, preprocessing: Preprocessing) => Promise<ScanResult | null> }

const IDLE = {
  state: 'notStarted',
  opening: false,
  problem: null,
  torch: null,
  torchProblem: null,
  enlarged: 1,
} as const satisfies Partial<ScanView>

/** Connects camera, decoder and state: all of scanning except the display. */
export class Scanner {
  readonly #video: HTMLVideoElement
  readonly #decoder: FrameReader
  readonly #onRead: (read: ScanResult) => void
  readonly #listeners = new Set<() => void>()
  readonly #canvas = document.createElement('canvas')
  #view: ScanView = { ...IDLE, cameras: [], cameraId: null, zoom: ZOOM.min, box: null }
  #camera: Camera | null = null
  #timer: ReturnType<typeof setInterval> | undefined
  /** Counts openings and releases, to detect late answers. */
  #attempt = 0
  #acceptance = new Acceptance()
  #busy = false
  #frames = 0
  #lastRead = 0
  /** True if the page was hidden while scanning: scanning continues when the page is visible again. */
  #goesOn = false
  /** True if there was no room for the box: scanning starts when there is. */
  #waitsForRoom = false

  constructor(video: HTMLVideoElement, decoder: FrameReader, onRead: (read: ScanResult) => void) {
    this.#video = video
    this.#decoder = decoder
    this.#onRead = onRead
    document.addEventListener('visibilitychange', this.#onVisibility)
    addEventListener('pagehide', this.#onHidden)
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly view = (): ScanView => this.#view

  #show(changes: Partial<ScanView>): void {
    this.#view = { ...this.#view, ...changes }
    for (const listener of this.#listeners) listener()
  }

  #refuseUnless(action: ScanAction): void {
    if (!allows(this.#view.state, action)) throw new RefusedTransition(this.#view.state, action)
  }

  /** Number of frames examined. */
  get frames(): number {
    return this.#frames
  }

  /** Measures the room for the box, and starts if scanning waited for it. */
  measure(): void {
    const box = boxFor(this.#video.clientWidth, this.#video.clientHeight)
    if (box !== this.#view.box) this.#show({ box })
    if (box !== null && this.#waitsForRoom) void this.start()
  }

  start(): Promise<void> {
    return this.#startWith({ rather: readSettings().lastUsedCameraId })
  }

  async #startWith(wish: CameraWish): Promise<void> {
    this.#refuseUnless('start')
    this.#waitsForRoom = false
    this.measure()
    if (this.#view.opening) return
    this.#waitsForRoom = this.#view.box === null
    if (this.#waitsForRoom) return
    if (await this.#open(wish)) this.#scan('start')
  }

  /** Pauses and releases the camera, whose light must not stay on without scanning. */
  pause(): void {
    this.#show({ ...IDLE, state: nextState(this.#view.state, 'pause') })
    this.#release()
  }

  async resume(): Promise<void> {
    this.#refuseUnless('resume')
    if (this.#view.opening) return
    if (await this.#open({ rather: this.#view.cameraId })) this.#scan('resume')
  }

  /** Releases the camera; no-op if not started. */
  stop(): void {
    this.#goesOn = false
    this.#waitsForRoom = false
    this.#release()
    const { state } = this.#view
    this.#show({ ...IDLE, state: allows(state, 'stop') ? nextState(state, 'stop') : state })
  }

  /** Stops permanently; later events are ignored. */
  dispose(): void {
    document.removeEventListener('visibilitychange', this.#onVisibility)
    removeEventListener('pagehide', this.#onHidden)
    this.stop()
    this.#listeners.clear()
  }

  /** Switches to this camera and continues; stores the choice once it delivers a picture. */
  async choose(cameraId: string): Promise<void> {
    const { state } = this.#view
    this.#release()
    this.#show({ ...IDLE, state, cameraId })
    if (state === 'notStarted') return this.#startWith({ only: cameraId })
    if (!(await this.#open({ only: cameraId }))) return
    if (state === 'paused') this.#scan('resume')
    else this.#look()
  }

  /** Allows the last code to be read again after a while, because its look-up failed temporarily. */
  again(): void {
    this.#acceptance.again(performance.now())
  }

  async setTorch(on: boolean): Promise<void> {
    try {
      await this.#camera?.setTorch(on)
      this.#show({ torch: on, torchProblem: null })
    } catch {
      this.#show({ torchProblem: on ? 'on' : 'off' })
    }
  }

  async setZoom(zoom: number): Promise<void> {
    const factor = Math.min(ZOOM.max, Math.max(ZOOM.min, Math.round(zoom * 10) / 10))
    this.#show({ zoom: factor })
    await this.#applyZoom()
  }

  async #applyZoom(): Promise<void> {
    const { zoom } = this.#view
    // If the camera refuses to zoom, the picture is enlarged instead.
    const enlarged = (await this.#camera?.setZoom(zoom).catch(() => zoom)) ?? zoom
    if (this.#view.zoom === zoom) this.#show({ enlarged })
  }

  #release(): void {
    this.#attempt += 1
    clearInterval(this.#timer)
    this.#camera?.close()
    this.#camera = null
    this.#video.srcObject = null
  }

  async #open(wish: CameraWish): Promise<boolean> {
    const attempt = (this.#attempt += 1)
    const isLate = () => attempt !== this.#attempt
    this.#show({ opening: true, problem: null, torchProblem: null })
    try {
      const camera = await openCamera(wish)
      if (isLate()) {
        camera.close()
        return false
      }
      this.#camera = camera
      camera.onEnded(() => {
        if (this.#camera === camera) this.#fail('lost')
      })
      this.#video.srcObject = camera.stream
      await this.#video.play()
      if (isLate()) return false
      keepSettings({ hasPermission: true, lastUsedCameraId: camera.id })
      const cameras = await listCameras().catch(() => [])
      if (isLate()) return false
      this.#show({ opening: false, cameras, cameraId: camera.id, torch: camera.hasTorch ? false : null })
      await this.#applyZoom()
      return !isLate()
    } catch (error) {
      if (isLate()) return false
      const problem = error instanceof CameraError ? error.problem : 'failed'
      if (problem === 'denied') keepSettings({ hasPermission: false })
      if (problem === 'failed') console.error('The camera could not be started', error)
      this.#fail(problem)
      // Lists the other cameras, so that the user may choose one instead.
      const cameras = await listCameras().catch(() => [])
      if (this.#view.problem === problem) this.#show({ cameras })
      return false
    }
  }

  #fail(problem: ScanProblem): void {
    this.stop()
    this.#show({ problem })
  }

  #scan(action: 'start' | 'resume'): void {
    this.#show({ state: nextState(this.#view.state, action) })
    this.#look()
  }

  #look(): void {
    this.#acceptance = new Acceptance()
    this.#lastRead = performance.now()
    clearInterval(this.#timer)
    this.#timer = setInterval(() => void this.#tick(), TICK_MS)
  }

  /** Reads one frame; skipped while the previous one is still decoded, and in the pause after a read. */
  async #tick(): Promise<void> {
    this.measure()
    const { box, enlarged } = this.#view
    const now = performance.now()
    const hasPicture = this.#video.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA && this.#video.videoWidth > 0
    if (this.#busy || box === null || !hasPicture || this.#acceptance.isQuiet(now)) return
    const turns = now - this.#lastRead < TURN_AFTER_MS ? USUAL : PATIENT
    const preprocessing = turns[this.#frames % turns.length] ?? 'plain'
    const frame = this.#grab(regionUnder(box, this.#video, enlarged))
    if (!frame) return
    const attempt = this.#attempt
    this.#busy = true
    try {
      const read = await this.#decoder.readFrame(frame, preprocessing)
      this.#frames += 1
      if (attempt !== this.#attempt || this.#view.state !== 'scanning') return
      if (read) this.#lastRead = performance.now()
      const accepted = this.#acceptance.take(read, performance.now())
      if (accepted) this.#onRead(accepted)
    } catch (error) {
      if (attempt !== this.#attempt) return
      console.error('The decoder failed', error)
      this.#fail('decoder')
    } finally {
      this.#busy = false
    }
  }

  #grab({ x, y, width, height }: Region): Frame | null {
    if (this.#canvas.width !== width || this.#canvas.height !== height) {
      this.#canvas.width = width
      this.#canvas.height = height
    }
    const context = this.#canvas.getContext('2d', { willReadFrequently: true })
    if (!context || width === 0 || height === 0) return null
    context.drawImage(this.#video, x, y, width, height, 0, 0, width, height)
    return context.getImageData(0, 0, width, height)
  }

  readonly #onVisibility = (): void => {
    if (document.visibilityState === 'hidden') {
      this.#onHidden()
    } else if (this.#goesOn) {
      this.#goesOn = false
      if (this.#view.state === 'paused') void this.resume()
      else if (this.#view.state === 'notStarted') void this.start()
    }
  }

  /** Releases the camera while the page is hidden, so that it films only what the user can see. */
  readonly #onHidden = (): void => {
    const { state, opening } = this.#view
    this.#goesOn ||= state === 'scanning' || opening
    this.#release()
    if (state === 'scanning') this.#show({ state: nextState(state, 'pause') })
    this.#show({ opening: false, torch: null })
  }
}
