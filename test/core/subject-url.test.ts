import fc from "fast-check"
import { expect, test } from "vitest"
import { computeUrlSubject, urlQuery } from "../../src/core/subject-url.js"

test.each([
  ["https://evil.example\\@good.example/", null],
  ["https://good.example\\.evil.example/", null],
  ["https://good.example/a\\b", null],
  ["https://good.example /", null],
  ["https://good.example/\t", null],
  ["https://go%6fd.example/", null],
  ["https://a..b/", null],
  ["https://./", null],
  ["https://a:b/", null],
  ["https://a:1:2/", null],
  ["https://a:65535/", "https://a:65535/"],
  ["https://a:65536/", null],
  ["https://a:000000443/", "https://a/"],
  ["https://1.2.3.256/", null],
  ["https://1.2.3.4./", null],
  ["https://1.2.3/", null],
  ["https://a.0x/", null],
  ["https://a.1b/", "https://a.1b/"],
  ["https://[1:2:3:4:5:6:7:8]/", "https://[1:2:3:4:5:6:7:8]/"],
  ["https://[1:0:0:2:0:0:0:3]/", "https://[1:0:0:2::3]/"],
  ["https://[0:0:1:0:0:1:0:0]/", "https://[::1:0:0:1:0:0]/"],
  ["https://[1:2:3:4:5:6:0:8]/", "https://[1:2:3:4:5:6:0:8]/"],
  ["https://[::]/", "https://[::]/"],
  ["https://[::ffff:1.2.3.4]/", "https://[::ffff:102:304]/"],
  ["https://[1.2.3.4::]/", null],
  ["https://[1::2::3]/", null],
  ["https://[1:2:3:4:5:6:7::8]/", null],
  ["https://[1:2:3:4:5:6::8]/", "https://[1:2:3:4:5:6:0:8]/"],
  ["https://[1:2:3:4:5:6:7:8::]/", null],
  ["https://[12345::]/", null],
  ["https://[::1%25eth0]/", null],
  ["https://[]/", null],
  ["https://[::1]x/", null],
  ["https://a/b/../", "https://a/"],
  ["https://a/b/.", "https://a/b/"],
  ["https://a/%2E%2e/b/%2e", "https://a/b/"],
  ["https://a/.%2e./b", "https://a/.%2e./b"],
  ["https://a/%", null],
  ["https://user:p%20w@a/", "https://a/"],
  ["https://a?x/y@b", "https://a/"],
  ["https://a#@b/", "https://a/"],
  ["https:/a/", null],
  ["https:a", null],
])("computeUrlSubject(%s) is %s", (url, expected) => expect(computeUrlSubject(url)).toBe(expected))

test.each([
  ["https://a/", null],
  ["https://a/?", null],
  ["https://a/?x", "x"],
  ["https://a/?x?y#z?", "x?y"],
  ["https://a/#?x", null],
  ["https://${HOST}/?x=${X}", "x=${X}"],
])("urlQuery(%s) is %s", (url, expected) => expect(urlQuery(url)).toBe(expected))

// The platform's parser must go where the subject says; it may spell escapes its own way elsewhere, not here.
test("the platform's URL parser reads a subject as it stands, and the URL as the same place", () => {
  const host = fc.oneof(
    fc.domain(),
    fc.ipV4(),
    fc.ipV6().map((ip) => `[${ip}]`),
    fc.string({ unit: fc.constantFrom(..."aZ0.-_x[]:@%\\"), minLength: 1 }),
  )
  const tail = fc.string({ unit: fc.constantFrom(..."aZ0./%2eE:@?#!$&'()*+,;=~-_\\ |é") })
  fc.assert(
    fc.property(host, fc.constantFrom("", ":443", ":8443", ":"), tail, (name, port, rest) => {
      const url = `https://${name}${port}/${rest}`
      const subject = computeUrlSubject(url)
      if (subject === null || /(?:^|[/.])xn--/.test(subject)) return
      expect(new URL(subject).href).toBe(subject)
      const same = new URL(url)
      expect(`https://${same.host}${same.pathname}`).toBe(subject)
      expect(computeUrlSubject(subject)).toBe(subject)
    }),
    { numRuns: 2000 },
  )
})
