import { loadChunk } from './chunks'

/** One short notice per action, top right: `status` for what went well, `alert` for what did not. */
async function show(kind: 'success' | 'failure', message: string): Promise<void> {
  const showToast = await loadChunk('notices', async () => (await import('./Toasts')).showToast)
  showToast(kind, message)
}

export const notify = {
  success: (message: string) => void show('success', message),
  /** `cause` goes to the console, for whoever looks into it. */
  failure: (message: string, cause?: unknown) => {
    if (cause !== undefined) console.error(message, cause)
    void show('failure', message)
  },
}
