// Every tagged example of FORMAT.md and how it is recomputed.
import { AUDIT_CHECKS } from "./checks-audit.js"
import { CEREMONY_CHECKS } from "./checks-ceremony.js"
import { EVIDENCE_CHECKS } from "./checks-evidence.js"
import { LEGION_CHECKS } from "./checks-legion.js"
import { LOCKFILE_CHECKS } from "./checks-lockfile.js"
import { LOG_CHECKS } from "./checks-log.js"
import { MERGE_CHECKS } from "./checks-merge.js"
import { SERVER_EVIDENCE_CHECKS } from "./checks-server-evidence.js"
import { SETTINGS_CHECKS } from "./checks-settings.js"
import { STORE_CHECKS } from "./checks-stores.js"
import { SURFACE_CHECKS } from "./checks-surface.js"
import { TARGET_CHECKS } from "./checks-target.js"
import type { Checks } from "./format-document.js"

/** All recomputations by the name of their example. */
export const CHECKS: Checks = {
  ...SURFACE_CHECKS,
  ...TARGET_CHECKS,
  ...LOG_CHECKS,
  ...CEREMONY_CHECKS,
  ...LOCKFILE_CHECKS,
  ...EVIDENCE_CHECKS,
  ...SERVER_EVIDENCE_CHECKS,
  ...MERGE_CHECKS,
  ...LEGION_CHECKS,
  ...STORE_CHECKS,
  ...AUDIT_CHECKS,
  ...SETTINGS_CHECKS,
}
