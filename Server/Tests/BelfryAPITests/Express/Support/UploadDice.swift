import BelfryTestSupport
import Foundation

@testable import BelfryAPI

/// Draws uploads as devices send them, and spoils some: the same seed draws the same ones.
struct UploadDice {
    let cast: UploadCast
    private var mutation: Mutation

    init(seed: UInt64, cast: UploadCast) {
        mutation = Mutation(seed: seed)
        self.cast = cast
    }

    mutating func chance(_ part: Int, of whole: Int) -> Bool {
        mutation.chance(part, of: whole)
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        mutation.pick(elements)
    }

    /// - Parameter now: milliseconds since 1970.
    mutating func request(now: Int64) -> WireRequest {
        let sender = pick(chance(4, of: 5) ? cast.insiders : cast.all)
        let isRegistration = chance(1, of: 3)
        let version = isRegistration || chance(1, of: 2) ? "v3" : "v4"
        let tree = isRegistration ? snapshot(of: sender) : batch(by: sender)
        var request = WireRequest(path: "/\(version)/apps/shop/client/\(isRegistration ? "registration" : "events")")
        request.headers = [
            ("Content-Type", "application/json"), ("X-Client-Id", sender.id), ("X-Request-Order", String(now)),
            ("X-Contact-Token", sender.token), ("X-Client-State", sender.state),
        ]
        request.body = chance(1, of: 4) ? mutation.body(from: tree) : Array(tree.text.utf8)
        if chance(1, of: 6) { respell(&request.body) }
        if chance(1, of: 6) { request.chunks = [pick([1, 7, 300]), pick([2, 64, 5_000])] }
        for _ in 0..<3 where chance(1, of: 6) { spoilHeaders(&request, of: sender, now: now) }
        if chance(1, of: 20) { request.path = pick(Self.paths) }
        if chance(1, of: 20) { request.method = pick(["GET", "PUT", "DELETE", "PATCH"]) }
        return request
    }

    private static let paths = [
        "/v3/apps/other/client/events", "/v3/apps/nobody/client/events", "/v3/apps/sh%6fp/client/events",
        "/v3/apps/shop/client/events/", "/v3/apps/shop/client/events?a=b", "/v3//apps/shop/client/events",
        "/v4/apps/shop/client/registration", "/v3/apps//client/events", "/v3/apps/client/events",
        "/v5/apps/shop/client/events", "/v3/apps/shop/x/client/events", "/v3/apps/SHOP/client/events",
        "/v3/apps/shop/client/Events", "*",
    ]
}

// MARK: Bodies

extension UploadDice {
    private mutating func batch(by sender: UploadCast.Player) -> JSONValue {
        var body: [String: JSONValue] = [
            "events": .array((0..<pick([0, 1, 1, 1, 2, 5])).map { _ in event(by: sender) })
        ]
        guard chance(1, of: 5) else { return .object(body) }
        let seen = JSONValue.array([.object(["campaignId": .string(pick(["12", "13"])), "timestamp": .string("x")])])
        if chance(1, of: 2) { body["viewedMessages"] = pick([seen, .array([]), .null]) }
        if chance(1, of: 2) { body["clicks"] = pick([seen, .array([]), .string("none")]) }
        if chance(1, of: 2) {
            body["deviceEventState"] = pick([JSONValue.object(["a": .number(1.5)]), .null, .array([])])
        }
        if chance(1, of: 2) { body["language"] = .string("en") }
        return .object(body)
    }

    private static let names = [
        "purchase", "app:start", "push:click", "push:displayed", " view ", "é", "a b", "x", "y", "z",
        String(repeating: "n", count: 129),
    ]
    private static let moments = [
        "2026-11-21T11:59:00.000Z", "2026-11-21T11:58:59.999Z", "2026-11-21T11:59:00Z", "2026-11-21T13:00:00.123+01:00",
        "2030-01-01T00:00:00.000Z", "1999-12-31T23:59:60Z", "2026-02-30T00:00:00.000Z", "2026-11-20T00:00:00.000Z",
    ]

    private mutating func event(by sender: UploadCast.Player) -> JSONValue {
        var event: [String: JSONValue] = [
            "type": .string(pick(["custom", "custom", "internal"])), "name": .string(pick(Self.names)),
            "timestamp": .string(pick(Self.moments)),
        ]
        // Few ids, so that they come again.
        if chance(5, of: 6) { event["id"] = .string(pick((0..<40).map { "e\($0)" })) }
        if chance(1, of: 2) { event["attributes"] = attributes() }
        if chance(1, of: 3) { event["sessionId"] = pick([JSONValue.string("s1"), .string(""), .null]) }
        let references = cast.all.map(\.reference) + ["forged", "", "x." + sender.reference]
        if chance(1, of: 2) { event["contact"] = .string(chance(1, of: 2) ? sender.reference : pick(references)) }
        return .object(event)
    }

    private mutating func attributes() -> JSONValue {
        let values: [JSONValue] = [
            .string("Paris"), .string(""), .string("a\"b\\c\n"), .string("é😀"), .number(12.5), .number(-3),
            .number(1e21), .boolean(true), .null, .array([]), .object([:]),
        ]
        let keys = ["city", "price", "sid", "é", "a b", ""]
        var members: [String: JSONValue] = [:]
        for _ in 0..<pick([0, 1, 2, 3]) { members[pick(keys)] = pick(Array(values.prefix(chance(5, of: 6) ? 8 : 11))) }
        return .object(members)
    }

    private mutating func snapshot(of sender: UploadCast.Player) -> JSONValue {
        var body: [String: JSONValue] = [
            "deviceId": .string(chance(1, of: 8) ? sender.id.lowercased() : sender.id),
            // Few ids, so that they come again, with the same body and with another.
            "registrationId": .string(chance(1, of: 3) ? pick(UploadCast.registrations) : fresh()),
            "revision": .number(Double(pick(Array(1...30)))), "pushEnabled": .boolean(chance(3, of: 4)),
        ]
        let others: [(String, [JSONValue])] = [
            ("contactKey", [.string("anna"), .string("bert"), .string(" "), .null]),
            ("tags", [.array([.string("a")]), .array([]), .null]),
            ("pushToken", [.string("0123456789abcdef"), .string("")]),
            ("pushProvider", [.string("apns"), .string("owl")]),
            ("pushEnvironment", [.string("sandbox"), .string("production")]),
            ("osPushEnabled", [.boolean(false), .null]),
            ("locale", [.string("fr_FR"), .string("l\u{e9}")]), ("timeZone", [.string("Europe/Paris")]),
            ("lastOpenedAt", [.string("2026-11-21T11:00:00.000Z"), .string("never")]), ("unknown", [.array([])]),
            ("partyIdentifier", [.object(["type": .string("email"), "name": .string("p"), "number": .string("a@b")])]),
        ]
        for (name, values) in others where chance(1, of: 5) { body[name] = pick(values) }
        if chance(1, of: 2) { body["attributes"] = attributes() }
        return .object(body)
    }

    private mutating func fresh() -> String {
        let digits = (0..<32).map { _ in pick(Array("0123456789ABCDEF")) }
        let groups = [digits[0..<8], digits[8..<12], digits[12..<16], digits[16..<20], digits[20..<32]]
        return groups.map { String($0) }.joined(separator: "-")
    }

    private static let tails: [[UInt8]] = [[0x20, 0x0a], [0x7d], [0], [0xff]]

    /// The same, or nearly, in another spelling.
    private mutating func respell(_ body: inout [UInt8]) {
        let text = String(decoding: body, as: UTF8.self)
        switch pick(Array(0..<8)) {
        case 0: body = Array(text.replacing(",", with: " ,\n\t").utf8)
        case 1: body = Array(text.replacing(":", with: " : ").utf8)
        case 2: body = Array(text.replacing("{", with: #"{"id":"x","#, maxReplacements: pick([1, 2])).utf8)
        case 3: body = Array(text.replacing(#"{"city""#, with: #"{"city":"x","city""#).utf8)
        case 4: body = Array(text.replacing("e", with: #"\u0065"#, maxReplacements: pick([1, 40])).utf8)
        case 5: body = [0xef, 0xbb, 0xbf] + body
        case 6: body += pick(Self.tails)
        default: body = pick([[], Array("null".utf8), Array("[]".utf8), Array(text.uppercased().utf8)])
        }
    }
}

// MARK: Headers

extension UploadDice {
    private mutating func spoilHeaders(_ request: inout WireRequest, of sender: UploadCast.Player, now: Int64) {
        let names = ["Content-Type", "X-Client-Id", "X-Request-Order", "X-Contact-Token", "X-Client-State"]
        switch pick(Array(0..<12)) {
        case 0: request.set(pick(names), nil)
        case 1: request.set(pick(names), pick(["", mutation.text()]))
        case 2: request.headers.append(pick(request.headers))
        case 3: request.headers.append((pick(names), pick(["", mutation.text()])))
        case 4: request.headers.insert((pick(names), ""), at: 0)
        case 5: request.set("X-Contact-Token", pick(tokens(of: sender)))
        case 6:
            request.set(
                "X-Client-Id", pick([sender.id.lowercased(), pick(cast.all).id, sender.id + "0", "{\(sender.id)}"]))
        case 7: request.set("X-Request-Order", pick(Self.orders(now)))
        case 8:
            request.set(
                "Content-Type",
                pick(["application/json; charset=utf-8", "text/plain", "application/a+json", "Application/JSON"]))
        case 9: request.headers.append(pick(Self.furtherHeaders))
        case 10: encode(&request)
        default: request.headers.append(("X-EMARSYS-SDK-VERSION", "3.10.2"))
        }
    }

    private static let furtherHeaders: [(name: String, value: String)] = [
        ("Origin", "https://shop.example"), ("Origin", "https://other.example"), ("Connection", "keep-alive"),
        ("Connection", "Keep-Alive"), ("Connection", "close"), ("Accept-Encoding", "gzip"), ("Expect", "100-continue"),
        ("Idempotency-Key", "k1"), ("X-Forwarded-For", "203.0.113.5"), ("Cookie", "a=b; c=d"), ("Upgrade", "h2c"),
        ("Access-Control-Request-Method", "POST"), ("Authorization", "Bearer x"), ("Accept", "text/html"),
    ]

    private mutating func tokens(of sender: UploadCast.Player) -> [String] {
        let token = sender.token
        let place = token.index(token.startIndex, offsetBy: pick(Array(0..<token.count)))
        let changed = token.replacingCharacters(in: place...place, with: token[place] == "A" ? "B" : "A")
        return cast.all.map(\.token) + [
            cast.expiredToken, changed, token + "=", token + "A", String(token.dropLast()), "a.b.c",
        ]
    }

    private static func orders(_ now: Int64) -> [String] {
        [
            "0", "-1", "soon", "9223372036854775807", "9223372036854775808", "1e3", " ", String(now - 3_600_000),
            String(now + 3_600_000), String(now - 59_999), String(now - 60_001), "946684799999", "946684800000",
            "253402300799999", "253402300800000", "+\(now)",
        ]
    }

    private mutating func encode(_ request: inout WireRequest) {
        let coding = pick(["gzip", "identity", "br", "gzip, gzip", ""])
        request.set("Content-Encoding", coding)
        if coding == "gzip", chance(3, of: 4), let packed = Deflation.gzip(request.body) { request.body = packed }
    }
}
