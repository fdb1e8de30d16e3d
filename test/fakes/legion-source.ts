// The LegionLog port in memory: a test log, or a table of answers by path as the shared vectors have it. Every answer can be made wrong.
import type { JsonValue } from "../../src/core/json.js"
import type { LegionLog } from "../../src/ports.js"
import { formatArchive, type LegionTestLog, type RecordPlan } from "./legion-log.js"

/** Gives the body of a path, null for 404, or throws. */
export type AnswerPath = (path: string) => string | null

/** A log that answers paths; `asked` collects them in order. History is at `/v0/servers/{id}`. */
export function sourceOf(answer: AnswerPath, asked: string[] = []): LegionLog {
  const get = async (path: string): Promise<Uint8Array | null> => {
    asked.push(path)
    const body = answer(path)
    return body === null ? null : new TextEncoder().encode(body)
  }
  const id = (serverId: string) => encodeURIComponent(serverId)
  return {
    location: "https://log.test/v1/",
    keyring: () => get("/keyring"),
    latest: (serverId) => get(`/servers/${id(serverId)}/latest`),
    head: (size) => get(size === null ? "/head" : `/head/${size}`),
    record: (leafIndex) => get(`/records/${leafIndex}`),
    inclusion: ({ leafIndex, treeSize }) => get(`/proof/inclusion?leaf_index=${leafIndex}&tree_size=${treeSize}`),
    consistency: ({ from, to }) => get(`/proof/consistency?old_size=${from}&new_size=${to}`),
    tools: (sha256) => get(`/tools/${sha256}`),
    lookup: (sha256) => get(`/lookup/tools/${sha256}`),
    history: (serverId) => get(`/v0/servers/${id(serverId)}`),
  }
}

/** How a test log misbehaves. */
export interface Serving {
  /** Leaves that are served; all unless given. */
  readonly size?: number
  /** Stands in for the answer of a path; undefined: the log's own. */
  readonly edit?: (path: string) => string | null | undefined
  readonly uncovered?: number
}

/** The answers of a test log that was made from `plans`. */
export function answersOf(log: LegionTestLog, plans: readonly RecordPlan[], serving: Serving = {}): AnswerPath {
  const size = serving.size ?? plans.length
  const json = (value: JsonValue): string => JSON.stringify(value)
  const leavesOf = (serverId: string) => plans.flatMap((plan, i) => (plan.serverId === serverId && i < size ? [i] : []))
  const shaOf = (leaf: number) =>
    (log.records[leaf] as { tools_fingerprint?: { sha256?: string } } | undefined)?.tools_fingerprint?.sha256
  const own = (path: string): string | null => {
    const { pathname, searchParams } = new URL(path, "https://log.test")
    const [, first = "", second = "", third = ""] = pathname.split("/").map(decodeURIComponent)
    const number = (name: string) => Number(searchParams.get(name))
    if (first === "keyring") return log.keyring
    if (first === "head") {
      const at = second === "" ? size : Number(second)
      return at <= size ? json({ sth: log.head(at) }) : null
    }
    if (first === "records") return Number(second) < size ? json({ record: log.records[Number(second)] ?? null }) : null
    if (first === "servers") {
      const newest = leavesOf(second).at(-1)
      const more = { newer_uncovered_records: serving.uncovered ?? 0 }
      return newest === undefined ? null : json({ ...log.bundle(newest, size), ...more })
    }
    if (first === "proof" && second === "inclusion") {
      const [leaf, treeSize] = [number("leaf_index"), number("tree_size")]
      return leaf < treeSize && treeSize <= size ? json(log.bundle(leaf, treeSize).inclusion ?? null) : null
    }
    if (first === "proof") {
      const [from, to] = [number("old_size"), number("new_size")]
      return to <= size ? json({ proof: [...log.consistency(from, to)] }) : null
    }
    if (first === "tools") {
      const plan = plans.find((_, i) => shaOf(i) === second)
      return plan ? formatArchive(plan.tools) : null
    }
    if (first === "lookup") {
      const found = new Set(plans.flatMap((plan, i) => (shaOf(i) === third && i < size ? [plan.serverId] : [])))
      return json({ matches: [...found].map((serverId) => ({ server_id: serverId })) })
    }
    if (first === "v0") return json({ records: leavesOf(third).map((leaf) => log.records[leaf] ?? null) })
    throw new Error(`no such path: ${path}`)
  }
  return (path) => {
    const edited = serving.edit?.(path)
    return edited === undefined ? own(path) : edited
  }
}
