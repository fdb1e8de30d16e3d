// The layers of src/: imports point down the list only, nothing in core/ touches Node, and what `verify` loads is small.
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import ts from "typescript"
import { expect, test } from "vitest"

const SRC = fileURLToPath(new URL("../src", import.meta.url))
const RANK: Readonly<Record<string, number>> = {
  core: 0,
  surface: 1,
  "deadline.ts": 2,
  "ports.ts": 2,
  client: 3,
  writer: 3,
  adapters: 4,
  features: 4,
  cli: 5,
  "index.ts": 5,
}

const files = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .map((file) => join(SRC, file))

const layerOf = (file: string): string => relative(SRC, file).split("/")[0] ?? ""

/** Every module specifier of a file: imports, exports, dynamic imports. `values`: without those that only bring types. */
function importsOf(file: string, { values }: { values: boolean }): string[] {
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true)
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier) {
      const typesOnly = ts.isImportDeclaration(node) ? onlyTypes(node) : node.isTypeOnly
      if (!values || !typesOnly) found.push((node.moduleSpecifier as ts.StringLiteral).text)
    }
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const [argument] = node.arguments
      if (argument && ts.isStringLiteral(argument)) found.push(argument.text)
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

function onlyTypes(node: ts.ImportDeclaration): boolean {
  const clause = node.importClause
  if (!clause) return false
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true
  const named = clause.namedBindings
  return (
    !clause.name &&
    !!named &&
    ts.isNamedImports(named) &&
    named.elements.length > 0 &&
    named.elements.every((e) => e.isTypeOnly)
  )
}

const localTarget = (file: string, specifier: string): string =>
  resolve(dirname(file), specifier).replace(/\.js$/, ".ts")

const locals = files.flatMap((file) =>
  importsOf(file, { values: false })
    .filter((specifier) => specifier.startsWith("."))
    .map((specifier) => ({ file, target: localTarget(file, specifier) })),
)

test("every file is in a known layer", () => {
  expect(files.map(layerOf).filter((layer) => !(layer in RANK))).toEqual([])
})

test("imports point to the same layer or down, and siblings never see one another", () => {
  const wrong = locals
    .filter(({ file, target }) => layerOf(file) !== layerOf(target))
    .filter(({ file, target }) => (RANK[layerOf(target)] ?? 9) >= (RANK[layerOf(file)] ?? -1))
    .map(({ file, target }) => `${relative(SRC, file)} -> ${relative(SRC, target)}`)
  expect(wrong).toEqual([])
})

test("there are no cycles, types included", () => {
  const edges = new Map<string, string[]>()
  for (const { file, target } of locals) edges.set(file, [...(edges.get(file) ?? []), target])
  const state = new Map<string, "open" | "done">()
  const cycles: string[] = []
  const visit = (file: string, path: readonly string[]): void => {
    if (state.get(file) === "done") return
    if (state.get(file) === "open") {
      cycles.push([...path.slice(path.indexOf(file)), file].map((f) => relative(SRC, f)).join(" -> "))
      return
    }
    state.set(file, "open")
    for (const target of edges.get(file) ?? []) visit(target, [...path, file])
    state.set(file, "done")
  }
  for (const file of files) visit(file, [])
  // The command table loads commands lazily, and `demo` runs other commands.
  expect(cycles.filter((cycle) => !cycle.includes("cli/commands.ts"))).toEqual([])
})

test("core is pure: no node: import, no package but the portable crypto's", () => {
  const outside = files
    .filter((file) => layerOf(file) === "core")
    .flatMap((file) => importsOf(file, { values: true }).map((specifier) => ({ file: relative(SRC, file), specifier })))
    .filter(({ specifier }) => !specifier.startsWith(".") && specifier !== "#crypto")
    .filter(({ file }) => file !== "core/crypto-noble.ts")
  expect(outside).toEqual([])
})

test("features see ports, never adapters", () => {
  const wrong = locals.filter(({ file, target }) => layerOf(file) === "features" && layerOf(target) === "adapters")
  expect(wrong).toEqual([])
})

test("no fast test changes what the files after it in the same worker find", () => {
  const folder = fileURLToPath(new URL(".", import.meta.url))
  const fast = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".test.ts") && !/\.slow\.test\.ts$|^interop/.test(file),
  )
  expect(fast.length).toBeGreaterThan(100)
  const lasting = /\bvi\.(?:mock|doMock|resetModules|stubGlobal)\(|\bprocess\.(?:chdir\(|umask\(\S|env\.\w+ = )/
  const stubs = /\bvi\.stubEnv\((?!.*\bvi\.unstubAllEnvs\(\))/s
  const texts = fast.map((file) => [file, readFileSync(join(folder, file), "utf8")] as const)
  expect(texts.filter(([, text]) => lasting.test(text) || stubs.test(text)).map(([file]) => file)).toEqual([])
})
