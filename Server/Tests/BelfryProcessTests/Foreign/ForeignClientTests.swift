import Foundation
import Testing

/// Clients that we did not write send to the simulators, over TLS and HTTP/2, as other projects' tests do (CLI-3).
@Suite("Simulators as clients of other people's meet them")
struct ForeignClientTests {
    /// The hosts that are written into clients: the simulators answer for them.
    private static let names = ["api.push.apple.com", "api.development.push.apple.com", "fcm.googleapis.com"]

    @Test("CLI-3, PUSH-1: aioapns sends to APNs, and understands every answer", .timeLimit(.minutes(10)))
    func aioapns() async throws {
        try await run("aioapns_story.py")
    }

    @Test(
        "CLI-3, PUSH-2: firebase-admin logs in at FCM as it is, and sends to devices and topics",
        .timeLimit(.minutes(10))
    )
    func firebase() async throws {
        try await run("firebase_story.py")
    }

    @Test("CLI-3, PUSH-3: pywebpush sends to browsers, with every kind of sender's token", .timeLimit(.minutes(10)))
    func webPush() async throws {
        try await run("webpush_story.py")
    }

    private func run(_ story: String) async throws {
        try await withStage { stage in
            try await stage.withPushServices(names: Self.names) { services in
                var settings: [String: any Sendable] = ["control": services.control]
                for (key, name) in [
                    ("apnsProduction", "APNs production"), ("apnsSandbox", "APNs sandbox"), ("fcm", "FCM"),
                ] {
                    let address = try #require(services.addresses[name].flatMap(URL.init(string:)))
                    settings[key] = [try #require(address.host()), try #require(address.port)] as [any Sendable]
                }
                let trustRoots = URL(filePath: try stage.file("trusted.pem", services.trustRoots))
                let run = try ForeignProgram.start(story, settings: settings, trustRoots: trustRoots, in: stage)
                await run.expectSuccess()
            }
        }
    }
}
