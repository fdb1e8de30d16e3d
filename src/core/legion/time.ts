// Times in LEGION records and heads. They are text that the log signed; their form is not part of what it promises, so that a fraction or
// an offset is read as well as the plain `YYYY-MM-DDTHH:MM:SSZ`.

const TIME =
  /^([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.[0-9]{1,9})?(?:Z|([+-])([0-9]{2}):([0-9]{2}))$/

/** POSIX seconds of a time, its fraction cut off; null for what is no time on a day that exists. */
export function parseTime(text: string): bigint | null {
  const match = TIME.exec(text)
  if (!match) return null
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number)
  const [offsetHour = 0, offsetMinute = 0] = match.slice(8, 10).map((part) => Number(part ?? 0))
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day) // Date.UTC takes the years 0 to 99 for 1900 to 1999
  const isDay = date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  if (!isDay || hour > 23 || minute > 59 || second > 59 || offsetHour > 23 || offsetMinute > 59) return null
  const local = date.getTime() / 1000 + hour * 3600 + minute * 60 + second
  return BigInt(local - (match[7] === "-" ? -1 : 1) * (offsetHour * 3600 + offsetMinute * 60))
}
