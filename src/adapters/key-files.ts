// Private keys on disk (DESIGN 6): one key a file, 0600, in the user's configuration folder or where `--root-key` says. Text form
// `PRIVATE+KEY+…`, or encrypted with a passphrase: scrypt and AES-256-GCM of node:crypto. Seeds never reach a message.
import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from "node:crypto"
import { readdirSync } from "node:fs"
import { dirname } from "node:path"
import { decodeUtf8, encodeUtf8, formatBase64, parseBase64 } from "../core/bytes.js"
import { ToolsumError } from "../core/errors.js"
import { isObject, parseJson } from "../core/json.js"
import { computeSigningKey, formatSigningKey, parseSigningKey, type SigningKey } from "../core/vkey.js"
import { makePrivateDirectory, PRIVATE_FILE_MODE, replaceFile } from "./durable-file.js"
import { errnoOf, ioFailed, quotePath, readRegularFile } from "./regular-file.js"

const MAX_KEY_BYTES = 4096
const ENCRYPTED_FORMAT = "toolsum-key/v1"
// 2^17 rounds, 128 MiB: about half a second, once per ceremony.
const SCRYPT = { N: 131072, r: 8, p: 1, maxmem: 256 * 1024 * 1024 }

/** Names of the files in the folder of keys; none where there is no folder. Throws IO_FAILED. */
export function listKeyFiles(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort()
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return []
    throw ioFailed("read the folder", folder, error)
  }
}

/** A new Ed25519 key of that name. */
export const generateKey = (name: string): SigningKey =>
  computeSigningKey({ name, seed: new Uint8Array(randomBytes(32)) })

/** Write a key to a new file, encrypted when a passphrase is given. Throws FILE_EXISTS, IO_FAILED. */
export async function writeKeyFile(path: string, key: SigningKey, passphrase: string | null): Promise<void> {
  if ((await readRegularFile(path, { maxBytes: MAX_KEY_BYTES, code: "FILE_EXISTS" })) !== null) {
    throw new ToolsumError("FILE_EXISTS", `expected nothing at ${quotePath(path)}: a key is never overwritten`)
  }
  await makePrivateDirectory(dirname(path))
  const text = passphrase === null ? `${formatSigningKey(key)}\n` : encrypt(formatSigningKey(key), passphrase)
  await replaceFile(path, encodeUtf8(text), { mode: PRIVATE_FILE_MODE })
}

/** Read a key file. `passphrase`: asked for only when the file is encrypted. Throws FILE_MISSING, KEY_MALFORMED, IO_FAILED. */
export async function readKeyFile(path: string, passphrase: () => Promise<string | null>): Promise<SigningKey> {
  const bytes = await readRegularFile(path, { maxBytes: MAX_KEY_BYTES, code: "KEY_MALFORMED" })
  if (bytes === null) throw new ToolsumError("FILE_MISSING", `expected a key file at ${quotePath(path)}`)
  const bad = (why: string) => new ToolsumError("KEY_MALFORMED", `${quotePath(path)}: ${why}`)
  const text = decodeUtf8(bytes, bad)
  if (!text.startsWith("{")) return parseSigningKey(text.trimEnd())
  const given = await passphrase()
  if (given === null) throw bad("expected a passphrase: the key is encrypted")
  return parseSigningKey(decrypt(text, given, bad))
}

function encrypt(text: string, passphrase: string): string {
  const salt = randomBytes(16)
  const iv = randomBytes(12)
  const cipher = createCipheriv("aes-256-gcm", scryptSync(passphrase, salt, 32, SCRYPT), iv)
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()])
  const document = {
    format: ENCRYPTED_FORMAT,
    salt: formatBase64(salt),
    iv: formatBase64(iv),
    sealed: formatBase64(sealed),
  }
  return `${JSON.stringify(document, null, 2)}\n`
}

function decrypt(text: string, passphrase: string, bad: (why: string) => ToolsumError): string {
  const document = parseJson(text)
  const member = (name: string): Uint8Array => {
    const value = isObject(document) ? document[name] : undefined
    if (typeof value !== "string") throw bad(`expected the member ${name}`)
    return parseBase64(value, bad)
  }
  if (!isObject(document) || document.format !== ENCRYPTED_FORMAT) throw bad(`expected the format ${ENCRYPTED_FORMAT}`)
  const sealed = member("sealed")
  const key = scryptSync(passphrase, member("salt"), 32, SCRYPT)
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, member("iv")).setAuthTag(sealed.subarray(sealed.length - 16))
    return Buffer.concat([decipher.update(sealed.subarray(0, sealed.length - 16)), decipher.final()]).toString("utf8")
  } catch (cause) {
    throw new ToolsumError("KEY_MALFORMED", "the passphrase does not open this key", { cause })
  }
}
