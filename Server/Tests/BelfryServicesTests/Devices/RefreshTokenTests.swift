import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import Crypto
import Foundation
import Testing

@testable import BelfryServices

/// The form of refresh tokens: each names its device, so one shard is asked for it (FLEET-5).
struct RefreshTokenTests {
    /// As programs made them before the number of the device was part of them.
    private static let former = String(repeating: "Az09-_", count: 7) + "Q"

    private static func hash(_ text: String) -> [UInt8] { Array(SHA256.hash(data: Data(text.utf8))) }

    @Test("FLEET-5, WIRE-4: a refresh token begins with its device's number, which the contact token says as well")
    func form() async throws {
        let world = try await ServiceWorld()
        _ = try await ServiceDevice.started(world, 1)
        var device = try await ServiceDevice.started(world, 2)
        for key in ["anna", "bert"] {
            let parts = try #require(device.refreshToken).split(separator: ".", omittingEmptySubsequences: false)
            let number = try device.authenticated().device
            #expect(parts.count == 2 && parts[0] == "\(number)")
            #expect(parts[1].utf8.count == 43)
            try await device.refresh()
            // The first link was made another way.
            try await device.identify(key)
        }
        let token = try #require(device.refreshToken)
        let known = try #require(RefreshToken(token))
        let number = try device.authenticated().device
        #expect(known.device == number && known.hash == Self.hash(token))
    }

    @Test("WIRE-4, FLEET-1: a former token, without its device's number, works, and is asked for by its hash alone")
    func formerForm() async throws {
        let log = StatementLog()
        let world = try await ServiceWorld(.postgres, statements: log)
        var device = try await ServiceDevice.started(world, 1)
        let (number, now) = (try device.authenticated().device, world.clock.now)
        try await world.database.write { connection in
            try connection.refreshTokens.insert(
                hash: Self.hash(Self.former), device: number, generation: 1, now: now
            )
        }
        device.refreshToken = Self.former
        try await device.refresh()
        try await device.track(.test("e1"))
        let byHash = log.statements.filter { $0.contains("FROM refresh_tokens WHERE token_hash") }
        #expect(!byHash.isEmpty && byHash.allSatisfy { !$0.contains("device_id =") })
        // The next link gives one of the new form, whose first use ends the former one.
        var renewed = device
        try await renewed.identify("anna")
        #expect(renewed.refreshToken?.hasPrefix("\(number).") == true)
        try await renewed.refresh()
        let code = await errorCode { try await device.refresh() }
        #expect(code == "registerAnew")
    }

    @Test("FLEET-5: a token that names its device is asked for with the device")
    func oneShard() async throws {
        let log = StatementLog()
        let world = try await ServiceWorld(.postgres, statements: log)
        var device = try await ServiceDevice.started(world, 1)
        try await device.refresh()
        let asked = log.statements.filter { $0.contains("FROM refresh_tokens WHERE token_hash") }
        #expect(!asked.isEmpty && asked.allSatisfy { $0.contains("device_id =") })
    }

    @Test("SEC-10, SEC-7: a token of another device's number, and one that is spelled otherwise, opens nothing")
    func others() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.started(world, 1)
        let other = try await ServiceDevice.started(world, 2)
        let token = try #require(device.refreshToken)
        let secret = try #require(token.split(separator: ".").last)
        let number = try device.authenticated().device
        let otherDevice = try other.authenticated().device
        let texts = [
            String(secret), "\(otherDevice).\(secret)", "0\(number).\(secret)", "+\(number).\(secret)",
            "-\(number).\(secret)", " \(token)", "\(token) ", "\(token)=", ".\(secret)", "\(number)..\(secret)",
            "\(number).\(number).\(secret)", "\(number).", "\(token).", "9223372036854775808.\(secret)",
            "\u{661}.\(secret)", "\(number).\(secret.dropLast())\u{301}", "\(number)\u{0}.\(secret)",
        ]
        for text in texts {
            device.refreshToken = text
            let code = await errorCode { try await device.refresh() }
            #expect(code == "registerAnew", "\(text)")
        }
        // The right one is still worth what it was.
        device.refreshToken = token
        try await device.refresh()
    }

    @Test("SEC-7: what no server gives out is told by its bytes")
    func malformed() {
        let secret = Self.former
        #expect(RefreshToken(secret)?.device == nil && RefreshToken(secret) != nil)
        #expect(RefreshToken("1.\(secret)")?.device == 1)
        #expect(RefreshToken("9223372036854775807.\(secret)")?.device == .max)
        let texts = [
            "", ".", "unknown", String(secret.dropLast()), secret + "A", "0.\(secret)", "01.\(secret)", "-1.\(secret)",
            "1..\(secret)", "1.2.\(secret)", "\(secret).1", "\(secret).\(secret)", "1,\(secret)", "1.\(secret)=",
            "1.\(secret.dropLast())+", "9223372036854775808.\(secret)", "99999999999999999999.\(secret)",
            "\u{661}.\(secret)", "1.\(secret.dropLast(2))\u{e9}", "1\u{301}.\(secret)",
        ]
        for text in texts {
            let token = RefreshToken(text)
            #expect(token == nil, "\(text)")
        }
    }
}
