// The bare command's document: what renderInventory shows, for programs (schemas/report.schema.json).
import type { JsonValue } from "../core/json.js"
import { deriveSubject } from "../core/subject.js"
import { hideForSubject, hideSecrets } from "../features/hide-secrets.js"
import { countStates, type Inventory, type InventoryRow } from "../features/inventory.js"
import type { Environment } from "../features/targets.js"
import { describeTarget } from "./typed-target.js"

/** Counts, servers and unreadable files, as members of a document. */
export function inventoryMembers({ rows, unreadable }: Inventory, environment: Environment) {
  return {
    counts: { ...countStates(rows) },
    servers: rows.map((row) => rowMember(row, environment)),
    unreadableFiles: unreadable.map(({ file, client, scope, problem }) => ({ file, client, scope, problem })),
  }
}

function rowMember(row: InventoryRow, environment: Environment): JsonValue {
  const { config, server, pin, target } = row
  const derived = target && deriveSubject(hideForSubject(target, environment))
  return {
    name: row.name,
    state: row.state,
    file: config?.file ?? null,
    client: config?.client ?? null,
    scope: config?.scope ?? pin?.scope ?? "project",
    pin: pin && {
      name: pin.name,
      scope: pin.scope,
      approved: pin.isApproved,
      launch: pin.target && describeTarget(hideSecrets(pin.target, environment)),
    },
    launch: target && describeTarget(hideSecrets(target, environment)),
    subject: derived?.subject ?? null,
    version: derived?.version ?? null,
    floating: row.isFloating,
    disabled: server?.isDisabled ?? false,
    guarded: server?.isGuarded ?? false,
    literals: [...(server?.literals ?? [])],
    twins: row.twins.map((twin) => ({ ...twin })),
    problem: row.problem,
  }
}
