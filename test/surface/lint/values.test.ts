// Values that others read differently, addresses whose content no digest covers, templates without a boundary.
import { expect, test } from "vitest"
import { parseJson } from "../../../src/core/json.js"
import { parseSurface } from "../../../src/core/section.js"
import { lines, lint, lintTools, tool, toSurface } from "./support.js"

const lintText = (text: string, integers?: "bigint") =>
  lines(lint(parseSurface(parseJson(text, integers ? { integers } : {}))))

const withMaximum = (maximum: string) =>
  `{"tools":[{"name":"a","description":"Echo.","inputSchema":{"type":"object","properties":{"x/y":{"maximum":${maximum}}}}}]}`

test.each(["9007199254740992", "9007199254740993", "-9007199254740992", "123456789012345678901234567890"])(
  "%s is beyond exact doubles",
  (integer) => {
    expect(lintText(withMaximum(integer))).toEqual(["inexact-number info a /inputSchema/properties/x~1y/maximum"])
  },
)

test.each(["9007199254740991", "-9007199254740991", "1e300", "0.1", "7"])("%s is not", (number) => {
  expect(lintText(withMaximum(number))).toEqual([])
  expect(lintText(withMaximum(number), "bigint")).toEqual([])
})

test("wherever it stands: _meta, prompts, serverInfo", () => {
  const big = "99999999999999999999"
  expect(
    lintText(
      `{"prompts":[{"name":"p","_meta":{"n":[1,{"m":${big}}]}}],"resources":[{"uri":"a:b","size":${big}}],"serverInfo":{"x":${big}}}`,
    ),
  ).toEqual(["inexact-number info p /_meta/n/1/m", "inexact-number info a:b /size", "inexact-number info - /x"])
})

test("icons and pages of _meta are addresses of something that is not pinned", () => {
  const icons = [
    { src: "https://cdn.example.com/a.svg" },
    { src: "data:image/png;base64,AAAA" },
    { src: "icon.png" },
    {},
    7,
  ]
  expect(lintTools(tool("a", "Echo.", { icons }))).toEqual([
    "not-covered-by-pin info a /icons/0/src",
    "not-covered-by-pin info a /icons/2/src",
  ])
  const _meta = {
    ui: { resourceUri: "ui://app/main.html" },
    "example.com/page": "https://example.com/",
    flag: true,
    hint: "see http",
  }
  expect(lintTools(tool("a", "See https://example.com/.", { _meta }))).toEqual([
    "not-covered-by-pin info a /_meta/ui/resourceUri",
    "not-covered-by-pin info a /_meta/example.com~1page",
  ])
  expect(lines(lint(toSurface({ serverInfo: { name: "s", icons: [{ src: "https://example.com/i.png" }] } })))).toEqual([
    "not-covered-by-pin info - /icons/0/src",
  ])
})

const template = (uriTemplate: string) =>
  lines(lint(toSurface({ resourceTemplates: [{ uriTemplate, name: "t" }] }))).map((line) =>
    line.split(" ").slice(0, 2).join(" "),
  )

test.each([
  "file:///{+path}",
  "file:///{path}",
  "file://{+path}",
  "file:///C:/{+path}",
  "file:///srv/reports/{+path}",
  "{+url}",
  "{url}",
  "https://{host}/index.html",
  "http://{+rest}",
  "https://{host}:{port}/",
  "note://{+any}",
  "file:///{#fragment}",
])("%s is open", (uriTemplate) => {
  expect(template(uriTemplate)).toEqual(["open-template high"])
})

test.each(["repo://contents/{+path}", "https://api.example.com/v1/{+rest}"])(
  "%s takes any path below its own",
  (uriTemplate) => {
    expect(template(uriTemplate)).toEqual(["open-template medium"])
  },
)

test.each([
  "file:///srv/reports/{month}.txt",
  "demo://resource/dynamic/text/{resourceId}",
  "exported-data://{exportName}",
  "https://{tenant}.example.com/x",
  "https://docs.example.com/{page}{?q}",
  "weather{?city}",
  "plain://no/expression",
  "{unclosed",
])("%s is not", (uriTemplate) => {
  expect(template(uriTemplate)).toEqual([])
})
