// What a server's texts may say of this machine: the folder it is started in, and who and where its user is.
import { hostname } from "node:os"
import { isCommandTarget, type Target } from "../core/target.js"
import type { LocalNames } from "../surface/local-texts.js"
import { type StartPlace, startFolder } from "./servers.js"

/** Names of this machine, as far as the environment tells them. A server behind a URL is started in no folder of ours. */
export function findLocalNames(target: Target, place: StartPlace): LocalNames {
  const { env } = place.io
  return {
    folder: isCommandTarget(target) ? startFolder(target, place) : null,
    home: env.HOME ?? env.USERPROFILE ?? null,
    user: env.USER ?? env.LOGNAME ?? env.USERNAME ?? null,
    host: env.HOSTNAME ?? env.COMPUTERNAME ?? hostname(),
  }
}
