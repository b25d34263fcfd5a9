import BelfryModel
import Foundation

@testable import Belfry

/// Stands before a server: as long as it is shut, requests wait in it.
actor Gate: Transport {
    private let server: FakeServer
    private var isShut = false
    private var held: [CheckedContinuation<Void, Never>] = []
    private var watchers: [CheckedContinuation<Void, Never>] = []

    init(before server: FakeServer) {
        self.server = server
    }

    func shut() {
        isShut = true
    }

    /// Lets through what waits, and whatever comes.
    func open() {
        isShut = false
        let waiting = held
        held = []
        for request in waiting {
            request.resume()
        }
    }

    /// Returns when a request waits.
    func holdsOne() async {
        guard held.isEmpty else { return }
        await withCheckedContinuation { watchers.append($0) }
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        if isShut {
            await withCheckedContinuation { continuation in
                held.append(continuation)
                let watching = watchers
                watchers = []
                for watcher in watching {
                    watcher.resume()
                }
            }
        }
        return try await server.send(request)
    }
}

extension World {
    /// A started client that reaches the server through a gate, which is open and has nothing in it yet.
    func startBehindGate() async throws -> (client: BelfryClient, gate: Gate) {
        let gate = Gate(before: server)
        let client = try BelfryClient(
            configuration: configuration,
            platform: HeadlessPlatform(system: SystemProperties(platform: "ios")),
            transport: gate,
            environment: .manual(clock, Chance(seed: 1))
        )
        try await client.start()
        await client.waitUntilIdle()
        return (client, gate)
    }
}
