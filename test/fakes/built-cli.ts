// The command as users start it, translated from src/ without a type check: that takes a second, and works while dist/ is old.
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import ts from "typescript"

const ROOT = fileURLToPath(new URL("../..", import.meta.url))

/** Build into `folder`, which is empty; returns the path of the command's script. */
export function buildCli(folder: string): string {
  for (const file of readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".ts")) continue
    const target = join(folder, "dist", file.replace(/\.ts$/, ".js"))
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, translate(readFileSync(join(ROOT, "src", file), "utf8")))
  }
  writeFileSync(join(folder, "package.json"), readFileSync(join(ROOT, "package.json")))
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"), "dir")
  return join(folder, "dist", "cli", "bin.js")
}

const translate = (source: string): string =>
  ts.transpileModule(source, {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022, verbatimModuleSyntax: true },
  }).outputText
