/** `bench/scanner still` or `camera`: prints the table; the exit code says whether the bars hold. */
import { runnerImport } from 'vite'

const [what = 'still'] = process.argv.slice(2)
const load = async (file) => (await runnerImport(new URL(file, import.meta.url).pathname, { configFile: false })).module
const { table, misses } =
  what === 'camera' ? await (await load('camera.ts')).cameraTable() : await (await load('still.ts')).stillTable()
console.log(table)
for (const miss of misses) console.error(`Misses the bar: ${miss}`)
process.exit(misses.length > 0 ? 1 : 0)
