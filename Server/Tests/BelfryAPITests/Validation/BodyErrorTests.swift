import BelfryWire
import Foundation
import Hummingbird
import Testing

@Suite("Every call refuses a body that it cannot read")
struct BodyErrorTests {
    /// Neither of them is an object in JSON and UTF-8.
    private static let unreadable: [[UInt8]] = [
        Array("nope".utf8), Array("{".utf8), Array("{}}".utf8), Array("{} {}".utf8), Array(#"{"a":1,}"#.utf8),
        Array("{'a':1}".utf8), Array(#"{"a":01}"#.utf8), Array(#"{"a":+1}"#.utf8), Array(#"{"a":NaN}"#.utf8),
        Array(#"{"a":"\x"}"#.utf8), Array(#"{"a":"\u12"}"#.utf8), Array("{\"a\":\"\u{1}\"}".utf8),
        Array("{\"a\":\"\u{0}\"}".utf8), Array("/**/{}".utf8), Array("   ".utf8), [0], [0xfe, 0xff, 0x00, 0x7b],
        [0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d], [0x22, 0xc0, 0x80, 0x22], [0x22, 0xed, 0xa0, 0x80, 0x22],
    ]
    private static let otherRoots = ["[]", "null", "true", "1", #""x""#, "[{}]"]

    /// The operations of both APIs that read a body.
    private static func readers(_ stage: CallStage) -> [DescribedOperation] {
        (stage.deviceOperations + stage.adminOperations).filter { $0.body != nil }
    }

    private static func nested(_ depth: Int) -> String {
        #"{"x":"# + String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1) + "}"
    }

    @Test("WIRE-23: a body that is not a JSON object in UTF-8 is a 400, and changes nothing")
    func notJSON() async throws {
        try await CallStage.run { stage in
            let before = try await stage.server.contents()
            let readers = Self.readers(stage)
            #expect(readers.count > 12)
            for operation in readers {
                let call = try stage.call(operation)
                let roots = Self.otherRoots.map { Array($0.utf8) }
                for bytes in [[]] + Self.unreadable + roots {
                    let response = try await stage.send(call, bytes: bytes)
                    let body = String(decoding: bytes, as: UTF8.self)
                    try expectError(response, .badRequest, "invalidBody", "\(operation.id) \(body)")
                }
                let absent = try await stage.send(call, bytes: nil)
                try expectError(absent, .badRequest, "invalidBody", "\(operation.id)")
                #expect(try await stage.server.contents() == before, "\(operation.id)")
            }
        }
    }

    @Test("WIRE-23: JSON of 33 levels is a 400 that names the limit")
    func tooDeep() async throws {
        try await CallStage.run { stage in
            let before = try await stage.server.contents()
            for operation in Self.readers(stage) {
                let call = try stage.call(operation)
                for depth in [WireLimits.maximumJSONDepth + 1, 5_000] {
                    let response = try await stage.send(call, text: Self.nested(depth))
                    try expectError(response, .badRequest, "invalidBody", "\(operation.id)")
                    #expect(response.text.contains("\(WireLimits.maximumJSONDepth)"), "\(operation.id)")
                }
            }
            #expect(try await stage.server.contents() == before)
        }
    }

    @Test("WIRE-23: a byte more than 1 MiB is a 413, even if no body is read")
    func tooLarge() async throws {
        try await CallStage.run { stage in
            let before = try await stage.server.contents()
            let padding = [UInt8](repeating: 0x20, count: WireLimits.maximumBodyBytes + 1)
            for operation in stage.deviceOperations + stage.adminOperations where operation.method != "GET" {
                let call = try stage.call(operation)
                let body = Array((call.body?.text ?? "").utf8)
                let response = try await stage.send(call, bytes: body + padding.dropFirst(body.count))
                try expectError(response, .contentTooLarge, "bodyTooLarge", "\(operation.id)")
            }
            #expect(try await stage.server.contents() == before)
        }
    }

    @Test("WIRE-23: a body with another content type is a 415, and changes nothing")
    func contentTypes() async throws {
        try await CallStage.run { stage in
            let before = try await stage.server.contents()
            for operation in Self.readers(stage) {
                var call = try stage.call(operation)
                for type in ["text/plain", "application/x-www-form-urlencoded", "text/json", "json", "*/*", ""] {
                    call.headers["Content-Type"] = type
                    let response = try await stage.send(call)
                    try expectError(
                        response, .unsupportedMediaType, "unsupportedMediaType", target: "Content-Type",
                        "\(operation.id) with \(type)"
                    )
                }
            }
            #expect(try await stage.server.contents() == before)
        }
    }

    @Test("WIRE-3, WIRE-5, WIRE-8: a call that needs no body accepts any")
    func ignored() async throws {
        try await CallStage.run { stage in
            var anonymous = try stage.call("linkContact")
            anonymous.address += "?anonymous"
            let others = ["deletePushToken", "deletePushTokenByUnderscore", "readRegistration", "pauseCampaign"]
            _ = try await stage.send(try stage.call("launchCampaign"))
            for var call in try others.map({ try stage.call($0) }) + [anonymous] {
                call.headers["Content-Type"] = "text/plain"
                for bytes in Self.unreadable + [[]] {
                    let response = try await stage.send(call, bytes: bytes)
                    #expect(call.successes.contains(response.status.code), "\(call.operation.id): \(response.text)")
                }
            }
        }
    }
}
