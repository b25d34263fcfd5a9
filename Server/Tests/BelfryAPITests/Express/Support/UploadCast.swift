import BelfryModel
import BelfryServices
import Foundation
import Testing

/// Devices in every standing that an upload may come from; on two servers that get the same calls it is one cast.
struct UploadCast: Hashable, Sendable {
    struct Player: Hashable, Sendable {
        let id: String
        let state: String
        let token: String
        let reference: String
    }

    /// Linked to nobody.
    let guest: Player
    /// Linked to anna. Her reference names the anonymous contact that she was before.
    let anna: Player
    /// It was linked again after its token was issued, and the new token was not used yet.
    let relinked: Player
    /// Its token is of a link that a newer one has ended.
    let ended: Player
    let erased: Player
    /// Of another app.
    let elsewhere: Player
    /// The guest's, of yesterday.
    let expiredToken: String

    static let registrations = (0..<12).map { "0B0F8F6E-2A2C-4A7B-8B0E-6E2C3A4B5C\(String(format: "%02X", $0))" }

    var insiders: [Player] { [guest, anna, relinked] }
    var all: [Player] { insiders + [ended, erased, elsewhere] }

    /// Calls a fresh server until they are all there.
    init(on server: TestServer) async throws {
        try await server.makeApp()
        try await server.makeApp("other")
        _ = try await server.admin(.put, "/apps/shop/attributes/city", #"{"type":"string"}"#)
        try await server.changeSettings { $0.allowedOrigins = ["https://shop.example"] }
        let first = try await Self.started(0, on: server)
        guest = Player(first)
        expiredToken = try Self.expired(first)
        anna = try await Self.merged(on: server)
        relinked = Player(try await Self.relinked(2, on: server).former)
        ended = try await Self.ended(on: server)
        var gone = try await Self.started(4, on: server)
        try await gone.call(.post, "/client/contact", #"{"contactFieldId":3,"contactFieldValue":"gone"}"#)
        erased = Player(gone)
        _ = try await server.admin(.post, "/apps/shop/contacts/gone/erase")
        elsewhere = Player(try await Self.started(5, on: server, app: "other"))
    }

    private static func started(_ number: Int, on server: TestServer, app: String = "shop") async throws -> TestDevice {
        var device = TestDevice(server, app: app)
        device.id = "6C9C4F0A-5D6B-4B2E-9B7E-0C5A2E0F2A0\(number)"
        try await device.start()
        return device
    }

    /// The state after a login: the history of the anonymous contact is in the known one (ID-8).
    private static func merged(on server: TestServer) async throws -> Player {
        let link = #"{"contactFieldId":3,"contactFieldValue":"anna"}"#
        var other = try await started(6, on: server)
        try await other.call(.post, "/client/contact", link)
        var device = try await started(1, on: server)
        let reference = device.contactReference
        try await device.call(.post, "/client/contact", link)
        device.contactReference = reference
        return Player(device)
    }

    private static func relinked(
        _ number: Int, on server: TestServer
    ) async throws -> (former: TestDevice, current: TestDevice) {
        let former = try await started(number, on: server)
        var current = former
        try await current.call(.post, "/client/contact?anonymous=true")
        return (former, current)
    }

    private static func ended(on server: TestServer) async throws -> Player {
        var (former, current) = try await relinked(3, on: server)
        // The first use of the new token ends the former one.
        try await current.track("")
        former.state = current.state
        return Player(former)
    }

    private static func expired(_ device: TestDevice) throws -> String {
        let token = try ContactToken(verifyingSignatureOf: device.contactToken ?? "", with: TestServer.keys)
        return ContactToken(
            app: token.app, clientID: token.clientID, device: token.device, generation: token.generation,
            epoch: token.epoch, expiresAt: device.server.clock.now.addingTimeInterval(-1)
        ).signed(with: TestServer.keys)
    }
}

extension UploadCast.Player {
    init(_ device: TestDevice) {
        id = device.id
        state = device.state ?? ""
        token = device.contactToken ?? ""
        reference = device.contactReference ?? ""
    }
}
