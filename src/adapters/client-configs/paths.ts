// Paths of another system than this one may be: which functions are for them, and what is below a folder. Pure.
import { posix, win32 } from "node:path"

/** Node's path functions of a system. */
export const pathOf = (platform: NodeJS.Platform) => (platform === "win32" ? win32 : posix)

/** `path`, absolute, as seen from `folder` when it is that or below; null when it is elsewhere. Pure. */
export function insideOf(folder: string, path: string, platform: NodeJS.Platform): string | null {
  const { relative, isAbsolute } = pathOf(platform)
  const inside = relative(folder, path)
  return isAbsolute(inside) || /^\.\.(?:[\\/]|$)/.test(inside) ? null : inside
}
