// What names of properties and values tell of what they do. Only weighed beside structure: a name alone makes no finding.
import { splitName } from "../lint/name-words.js"

/** What a property is for, as far as its name tells. destination: where data goes. code: what runs. context: what was said. secret: what
 *  opens something. path: a place on a disk. place: a target inside a service. guard: what holds a call back. bypass: what lets it through.
 *  format: how an answer looks. */
export type Role = "destination" | "code" | "context" | "secret" | "path" | "place" | "guard" | "bypass" | "format"

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "))

/** Words of which one is enough; two words with "+" stand for both, in any order. */
const ROLE_WORDS: readonly (readonly [Role, ReadonlySet<string>])[] = [
  [
    "destination",
    words(
      "recipient recipients bcc cc url urls uri href endpoint webhook callback hostname host email emails attendee attendees destination " +
        "dest redirect forward notify upload phone proxy reply+to send+to post+to base+url subscriber subscribers weburl webhookurl",
    ),
  ],
  [
    "code",
    words(
      "script command commands cmd shell expression eval exec execute sql program javascript bash lambda source+code run+code python+code " +
        "js+code code+snippet user+code custom+code inline+code args+command",
    ),
  ],
  [
    "context",
    words(
      "context conversation conversations transcript transcripts dialogue dialog+history chat+history chat+log message+history previous+messages " +
        "user+messages system+prompt user+prompt tool+results history+messages memories",
    ),
  ],
  [
    "secret",
    words(
      "secret secrets password passwd passphrase credential credentials apikey api+key private+key access+key secret+key ssh env dotenv " +
        "cookie cookies access+token auth+token bearer api+token session+token auth authorization",
    ),
  ],
  ["path", words("path paths file filepath filename dir directory folder cwd root glob")],
  [
    "place",
    words(
      "target channel domain server space room account bucket repository repo project workspace topic queue address audience",
    ),
  ],
  [
    "guard",
    words(
      "confirm confirmed confirmation approve approved approval consent acknowledge acknowledged ack dryrun dry+run simulate verify " +
        "verification checksum signature etag if+match mfa otp safe sandbox justification",
    ),
  ],
  [
    "bypass",
    words(
      "force overwrite permanent purge skip bypass unsafe sudo noconfirm ignore+errors insecure privileged elevated",
    ),
  ],
  [
    "format",
    words(
      "format unit units sort order language lang locale theme style color colour page limit offset size count verbosity verbose indent " +
        "width height timezone tz pretty layout currency encoding precision label labels title",
    ),
  ],
]

/** Words that make an address a filter, a reading of code a lookup: the property then takes no new power. */
const FILTER_WORDS = words(
  "include exclude included excluded includes excludes allowed blocked filter country zip postal status error",
)

/** Names that say it only alone: `to` is a recipient, `date_to` none. */
const EXACT: Readonly<Record<string, Role>> = { to: "destination", code: "code", token: "secret", history: "context" }

/** What a property may be for. */
export function rolesOf(name: string | null): ReadonlySet<Role> {
  if (name === null) return new Set()
  const own = splitName(name)
  if (own.some((word) => FILTER_WORDS.has(word))) return new Set(["format"])
  const alone = own.length === 1 && Object.hasOwn(EXACT, own[0] ?? "") ? EXACT[own[0] ?? ""] : undefined
  const has = new Set(own)
  const isAmong = (roleWords: ReadonlySet<string>): boolean =>
    [...roleWords].some((word) => word.split("+").every((part) => has.has(part)))
  const roles = ROLE_WORDS.filter(([, roleWords]) => isAmong(roleWords)).map(([role]) => role)
  return new Set(alone === undefined ? roles : [...roles, alone])
}

const GRAVE: readonly Role[] = ["destination", "code", "context", "secret"]

/** True where text that is put in decides where data goes, what runs, or what leaves the conversation. */
export const isGrave = (roles: ReadonlySet<Role>): boolean => GRAVE.some((role) => roles.has(role))

/** True where it decides what a call reaches: also a path and a target. */
export const isReach = (roles: ReadonlySet<Role>): boolean => isGrave(roles) || roles.has("path") || roles.has("place")

/** Values of a choice that name more power, or more people who see. */
const RISKY_VALUES = words(
  "owner admin administrator administrators root superuser superadmin sudo god master unrestricted bypass exec execute eval shell delete " +
    "destroy purge wipe drop truncate erase public external everyone anyone anonymous world full privileged elevated force unsafe write " +
    "impersonate system production danger overwrite disable disabled none+auth",
)

/** True for a value that names power. Only whole words count, and the first three: a value is a name, no sentence. */
export const isRiskyValue = (value: string): boolean =>
  splitName(value)
    .slice(0, MAX_VALUE_WORDS)
    .some((word) => RISKY_VALUES.has(word))

const MAX_VALUE_WORDS = 3
