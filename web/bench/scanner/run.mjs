/** `bench/scanner still`, `photos` or `camera`: prints the table; fails if a bar is missed. */
import { runnerImport } from 'vite'

const [what = 'still', seed] = process.argv.slice(2)
const load = async (file) => (await runnerImport(new URL(file, import.meta.url).pathname, { configFile: false })).module
const tables = {
  still: async () => (await load('still.ts')).stillTable(),
  photos: async () => (await load('photoBench.ts')).photoTable(seed === undefined ? undefined : Number(seed)),
  camera: async () => (await load('camera.ts')).cameraTable(),
}
const measure = tables[what]
if (!measure) throw new Error(`There is no table ${what}: choose one of ${Object.keys(tables).join(', ')}`)
const { table, misses } = await measure()
console.log(table)
for (const miss of misses) console.error(`Misses the bar: ${miss}`)
process.exit(misses.length > 0 ? 1 : 0)
