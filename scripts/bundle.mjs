// Bundles TypeScript sources with rolldown, which vitest brings along: the command, and the programs of bench/. Packages and Node's
// own modules stay outside; `#crypto` is the native one, as package.json says for Node. Nothing is minified, so that a stack trace in
// a bug report names our functions and its lines can be read in dist/.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"

const ROOT = fileURLToPath(new URL("..", import.meta.url))
const OWN = /^(?:[./\\#\0]|[A-Za-z]:[\\/])/

/** Bundle `input`, paths by name, and write it as rolldown's `output` options say. */
export async function bundle(input, output) {
  const bundled = await rolldown({
    input,
    cwd: ROOT,
    platform: "node",
    external: (id) => !OWN.test(id),
    resolve: { alias: { "#crypto": join(ROOT, "src/core/crypto-native.ts") } },
    // Loading a module of ours does nothing: what is not used can go.
    treeshake: { moduleSideEffects: false },
  })
  const { output: files } = await bundled.write({ comments: false, ...output })
  await bundled.close()
  for (const { type, fileName, code } of files)
    if (type === "chunk") writeFileSync(join(output.dir, fileName), escapeLetters(code))
}

/** Letters beyond ASCII, which stand in texts and patterns alone, as escapes: one of them in a file and Node reads and compiles all of it as
 *  text of two bytes a letter, which costs each start a millisecond. */
const escapeLetters = (code) =>
  code.replace(/[\u0080-\uffff]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`)

/** What every run needs and what `verify` needs, with all that they import, is one file; each other command loads what it needs. */
const START = /[\\/]src[\\/]cli[\\/](?:bin|commands[\\/]verify)\.ts$/

/** A LEGION lockfile is verified as often: one more file for all that it needs besides. */
const LEGION = /[\\/]src[\\/]cli[\\/]legion-lockfile\.ts$/

/** Bundle the command into `folder`. The command starts in two thirds of the time that way: `verify` loads one file of CommonJS, not 70
 *  through the loader of ES modules. */
export async function bundleCommand(folder) {
  await bundle(
    { bin: "src/cli/bin.ts" },
    {
      dir: folder,
      format: "cjs",
      entryFileNames: "bin.js",
      chunkFileNames: "[name].js",
      codeSplitting: {
        groups: [
          { name: "bin", test: START, priority: 1 },
          { name: "legion-lockfile", test: LEGION },
        ],
      },
    },
  )
  await bundle({ "demo-server": "src/cli/demo-server.ts" }, { dir: folder, format: "es" })
  writeFileSync(join(folder, "package.json"), '{ "type": "commonjs" }\n')
}
