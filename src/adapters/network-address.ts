// Which network addresses are public (DESIGN 8: no private address without consent), checked on what a host name resolves to at the
// moment of connecting, so that a name that changes its mind between check and use gains nothing.
import { type LookupAddress, lookup as systemLookup } from "node:dns"
import { BlockList, isIP, type LookupFunction } from "node:net"
import { quote, ToolsumError } from "../core/errors.js"

/** Which addresses may be connected to. */
export type AddressRule = "public" | "loopback" | "any"

/** Resolves a host name to all its addresses, as dns.lookup does. */
export type Resolver = (
  hostname: string,
  options: { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

// IANA special-purpose address registries, everything that is not globally reachable; of IPv6 also what is no global unicast (2000::/3).
const NOT_PUBLIC = blockListOf([
  ["0.0.0.0", 8, "ipv4"],
  ["10.0.0.0", 8, "ipv4"],
  ["100.64.0.0", 10, "ipv4"],
  ["127.0.0.0", 8, "ipv4"],
  ["169.254.0.0", 16, "ipv4"],
  ["172.16.0.0", 12, "ipv4"],
  ["192.0.0.0", 24, "ipv4"],
  ["192.0.2.0", 24, "ipv4"],
  ["192.168.0.0", 16, "ipv4"],
  ["198.18.0.0", 15, "ipv4"],
  ["198.51.100.0", 24, "ipv4"],
  ["203.0.113.0", 24, "ipv4"],
  ["224.0.0.0", 3, "ipv4"],
  ["::", 96, "ipv6"],
  ["::ffff:0:0:0", 96, "ipv6"],
  ["64:ff9b::", 96, "ipv6"],
  ["64:ff9b:1::", 48, "ipv6"],
  ["100::", 16, "ipv6"],
  ["2001::", 23, "ipv6"],
  ["2001:db8::", 32, "ipv6"],
  ["2002::", 16, "ipv6"],
  ["3fff::", 20, "ipv6"],
  ["4000::", 2, "ipv6"],
  ["8000::", 1, "ipv6"],
])
const LOOPBACK = blockListOf([
  ["127.0.0.0", 8, "ipv4"],
  ["::1", 128, "ipv6"],
])

function blockListOf(networks: readonly (readonly [string, number, "ipv4" | "ipv6"])[]): BlockList {
  const list = new BlockList()
  for (const [network, prefix, family] of networks) list.addSubnet(network, prefix, family)
  return list
}

// BlockList judges an IPv4 address mapped into IPv6 as the IPv4 address.
const isIn = (list: BlockList, address: string): boolean => list.check(address, isIP(address) === 6 ? "ipv6" : "ipv4")

/** True when the IP address `address` may be connected to. */
export function isAllowedAddress(address: string, rule: AddressRule): boolean {
  if (isIP(address) === 0) return false
  if (rule === "any") return true
  return rule === "loopback" ? isIn(LOOPBACK, address) : !isIn(NOT_PUBLIC, address)
}

/** True for `localhost` and loopback addresses, as a URL's `hostname` spells them. */
export const isLoopbackHost = (hostname: string): boolean =>
  hostname === "localhost" || isAllowedAddress(withoutBrackets(hostname), "loopback")

const withoutBrackets = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, "$1")

/** Refuse a host that is an address itself and not allowed; names are judged when they are resolved. Throws TARGET_NOT_ACCEPTED. */
export function requireAllowedHost(hostname: string, rule: AddressRule): void {
  const address = withoutBrackets(hostname)
  if (isIP(address) !== 0 && !isAllowedAddress(address, rule)) throw refused(address)
}

const refused = (host: string) =>
  new ToolsumError("TARGET_NOT_ACCEPTED", `${quote(host)} is not a public address; it is contacted only with consent`)

/** A `lookup` for sockets that gives allowed addresses only. Fails with TARGET_NOT_ACCEPTED when a name has no other. */
export function createGuardedLookup(rule: AddressRule, resolve: Resolver = systemLookup): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, [])
      const allowed = addresses.filter(({ address }) => isAllowedAddress(address, rule))
      const [first] = allowed
      if (first === undefined) callback(refused(hostname), [])
      else if (options.all) callback(null, allowed)
      else callback(null, first.address, first.family)
    })
  }
}
