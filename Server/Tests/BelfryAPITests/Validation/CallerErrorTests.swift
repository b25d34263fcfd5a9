import BelfryServices
import BelfryTestSupport
import Foundation
import Hummingbird
import Testing

@Suite("Every device call checks its caller")
struct CallerErrorTests {
    @Test("WIRE-20, WIRE-23: a client id that is missing or can be none is refused, and changes nothing")
    func clientIDs() async throws {
        let wrong = ["é", "6C9C4F0A\t5D6B", String(repeating: "x", count: 129)]
        try await CallStage.run { stage in
            let before = try await stage.server.contents()
            for operation in stage.deviceOperations {
                var call = try stage.call(operation)
                for id in ["", " "] {
                    call.headers["X-Client-Id"] = id
                    let response = try await stage.send(call)
                    #expect(response.status == .badRequest, "\(operation.id)")
                    #expect(response.text.contains("X-Client-Id"), "\(operation.id)")
                }
                for id in wrong {
                    call.headers["X-Client-Id"] = id
                    let response = try await stage.send(call)
                    try expectError(
                        response, .badRequest, "invalidDeviceId", target: "X-Client-Id", "\(operation.id) as \(id)"
                    )
                }
                #expect(try await stage.server.contents() == before, "\(operation.id)")
            }
        }
    }

    @Test("WIRE-22: an unknown app comes before every other error")
    func unknownApps() async throws {
        try await CallStage.run { stage in
            let before = try await stage.server.contents()
            for operation in stage.deviceOperations {
                for code in ["nobody", "Shop", "a%20b", "%ff", "%00", ".", "..", String(repeating: "x", count: 65)] {
                    var call = try stage.call(operation)
                    call.address = call.address.replacing("/apps/shop/", with: "/apps/\(code)/")
                    for headers in [call.headers, [:]] {
                        call.headers = headers
                        let response = try await stage.send(call)
                        try expectError(
                            response, .badRequest, "unknownApp", target: "appCode", "\(operation.id) of \(code)"
                        )
                    }
                }
            }
            #expect(try await stage.server.contents() == before)
        }
    }

    /// Tokens of other devices, with the error code of each; without an entry there is no token.
    private static func wrongTokens(_ stage: CallStage) async throws -> [(token: String, code: String)] {
        var other = TestDevice(stage.server)
        try await other.start()
        try await stage.server.makeApp("other")
        var elsewhere = TestDevice(stage.server, app: "other")
        elsewhere.id = stage.device.id
        try await elsewhere.start()
        let token = try #require(stage.device.contactToken)
        let parts = token.split(separator: ".", omittingEmptySubsequences: false).map { String($0) }
        let unsigned = [base64URL(#"{"alg":"none","typ":"JWT"}"#.utf8), parts[1], ""].joined(separator: ".")
        let swapped = [parts[0], base64URL(#"{"app":"shop"}"#.utf8), parts[2]].joined(separator: ".")
        let altered = String(token.dropLast(2)) + (token.hasSuffix("AA") ? "BB" : "AA")
        let wrong = [
            "rotten", "a.b.c", "..", altered, unsigned, swapped, token + "x", token.uppercased(), "Bearer \(token)",
            String(repeating: "x", count: 8_000), try #require(other.contactToken),
            try #require(elsewhere.contactToken), try #require(stage.device.refreshToken),
        ]
        return [(token: "", code: "contactTokenMissing")] + wrong.map { (token: $0, code: "contactTokenInvalid") }
    }

    @Test("WIRE-22: a call that needs a contact token accepts no other, and an error changes nothing")
    func tokens() async throws {
        try await CallStage.run { stage in
            let wrong = try await Self.wrongTokens(stage)
            let before = try await stage.server.contents()
            let operations = stage.deviceOperations.filter(\.needsContactToken)
            #expect(operations.count > 6)
            for operation in operations {
                var call = try stage.call(operation)
                for (token, code) in wrong {
                    call.headers["X-Contact-Token"] = token
                    let response = try await stage.send(call)
                    let what = "\(operation.id) with \(token.prefix(20))"
                    try expectError(response, .unauthorized, code, target: "X-Contact-Token", "\(what)")
                    #expect(response.header("WWW-Authenticate") == nil)
                }
                #expect(try await stage.server.contents() == before, "\(operation.id)")
            }
        }
    }

    @Test("WIRE-22, ID-6: an expired contact token is reported as such")
    func expired() async throws {
        try await CallStage.run { stage in
            stage.server.clock.advance(by: ContactToken.lifetime + 1)
            let before = try await stage.server.contents()
            for operation in stage.deviceOperations.filter(\.needsContactToken) {
                let response = try await stage.send(try stage.call(operation))
                try expectError(
                    response, .unauthorized, "contactTokenExpired", target: "X-Contact-Token", "\(operation.id)"
                )
            }
            #expect(try await stage.server.contents() == before)
        }
    }

    @Test("WIRE-22: the calls that come before a contact token never need one, even if an invalid one is sent")
    func withoutToken() async throws {
        try await CallStage.run { stage in
            let wrong = try await Self.wrongTokens(stage)
            let operations = stage.deviceOperations.filter { !$0.needsContactToken }
            #expect(operations.count >= 4)
            for operation in operations {
                for (token, _) in wrong {
                    var call = try stage.call(operation)
                    call.headers["X-Contact-Token"] = token
                    let response = try await stage.send(call)
                    #expect(call.successes.contains(response.status.code), "\(operation.id) with \(token.prefix(20))")
                }
            }
        }
    }
}
