/** Prints the rows of docs/benchmarks.md for the screens in a slow browser. Called by the example `bench-browser`. */
import { runnerImport } from 'vite'

const { module } = await runnerImport(new URL('measure.ts', import.meta.url).pathname, { configFile: false })
console.log(await module.browserTable())
