// A surface with its volatile spans replaced (DESIGN 3.6): what is compared where masks are declared.
import { itemKey, SECTION_NAMES } from "../core/item.js"
import { isArray, type JsonValue } from "../core/json.js"
import { applyMasks, type Mask } from "../core/mask.js"
import { type Surface, surfaceMember } from "../core/section.js"

/** The surface after masks; the same one where there are none. A list that is no array is left as it is. */
export function maskSurface(surface: Surface, masks: readonly Mask[]): Surface {
  if (masks.length === 0) return surface
  const masked: Record<keyof Surface, JsonValue> = {
    ...surface,
    instructions: applyMasks("instructions", null, surface.instructions ?? null, masks).value,
    serverInfo: applyMasks("server", null, surface.serverInfo ?? null, masks).value,
  }
  for (const section of SECTION_NAMES) {
    const [name, items] = [surfaceMember(section), surface[surfaceMember(section)] ?? null]
    if (isArray(items))
      masked[name] = items.map((item) => applyMasks(section, itemKey(section, item), item, masks).value)
  }
  return masked
}
