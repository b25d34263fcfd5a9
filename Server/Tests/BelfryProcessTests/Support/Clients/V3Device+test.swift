import BelfryAPI
import BelfryModel
import BelfryServerModel
import Foundation
import Testing
import V3Client

extension V3Device {
    static let pushTokens: [V3Flavour: String] = [
        .ios: "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        .android:
            "dQw4w9WgXcQ:APA91bHPRgkF3JUikC4ENAHEeMrd41Zxv3hVZjC9KtT8OvPVGJ-hQMRKRrZuJAEcl7B338qju59",
    ]

    /// The app, freshly installed on a device that finds the server.
    static func installed(
        _ flavour: V3Flavour, at server: ServerProcess, over wire: (any V3Wire)? = nil,
        configure: (inout V3Settings) -> Void = { _ in }
    ) throws -> V3Device {
        var settings = V3Settings(
            flavour: flavour, app: server.app, host: String(server.address.dropFirst("http://".count)))
        configure(&settings)
        return V3Device(settings: settings, wire: try wire ?? server.v3Wire(), environment: .live)
    }

    /// Its push token at the push service of its platform.
    nonisolated var pushToken: String { Self.pushTokens[settings.flavour] ?? "" }

    /// The push service delivers the newest push that it has for the device.
    nonisolated func receiveNewest(
        from services: PushServicesProcess, at place: PushServicesProcess.Place
    ) async throws {
        let push = try #require(try await services.arrivals(at: place).last)
        switch settings.flavour {
        case .ios: await receive(apns: push.bytes, collapseID: push.collapseID)
        case .android: await receive(fcm: push.bytes)
        }
    }

    /// Says what passed between the device and the server meanwhile.
    nonisolated func calls(_ action: (V3Device) async throws -> Void) async rethrows -> [V3Exchange] {
        let before = await exchanges.count
        try await action(self)
        return Array(await exchanges.dropFirst(before))
    }
}

extension V3Environment {
    /// The client's pause before it repeats a call is left out: nothing here depends on it.
    static let live = V3Environment(now: { Date() }, uuid: { UUID().uuidString }, pause: { _ in })
}

extension V3Exchange {
    /// The method and path, as if every app were called `shop`.
    var line: String { request.line.replacing(/\/apps\/[^\/]+/, with: "/apps/shop") }

    var status: Int? { answer?.status }

    /// The names of the events that were sent.
    var events: [String] { request.json?["events"]?.items?.compactMap { $0["name"]?.string } ?? [] }
}

extension ServerProcess {
    /// A connection of its own, as an app would have.
    func v3Wire() throws -> TCPWire {
        guard let port = address.split(separator: ":").last.flatMap({ UInt16($0) }) else {
            throw CallError.noAnswer(call: address, reason: "it has no port")
        }
        return TCPWire(host: "127.0.0.1", port: port)
    }
}

/// Runs a test with simulated push services, and a server of its own whose app `shop` sends through them.
func withPushingShop(
    _ body: (ServerProcess, AdminCaller, PushServicesProcess) async throws -> Void
) async throws {
    try await withStage { stage in
        try await stage.withPushServices { services in
            try await stage.withServer(options: ["--rate-limit", "off", "--allow-private-endpoints"]) { server in
                let admin = stage.admin(server)
                try await admin.createApp()
                _ = try await services.putCredentials(admin)
                try await body(server, admin, services)
            }
        }
    }
}

extension AdminCaller {
    /// Sends a campaign to its end.
    func run(_ request: CampaignRequest) async throws -> CampaignResponse {
        let draft = try await send(.POST, path("campaigns"), request, as: CampaignStatusResponse.self)
        try await change(draft.id, "launch")
        return try await eventually("the campaign completes") {
            try await campaign(draft.id)
        } until: {
            $0.status == .completed
        }
    }
}

/// Runs a test with a server of its own that has the app `shop`, which has credentials for every push service.
func withOwnShop(_ body: (ServerProcess, AdminCaller) async throws -> Void) async throws {
    try await withStage { stage in
        try await stage.withServer { server in
            let admin = stage.admin(server)
            try await admin.createApp()
            try await admin.putAllCredentials()
            try await body(server, admin)
        }
    }
}
