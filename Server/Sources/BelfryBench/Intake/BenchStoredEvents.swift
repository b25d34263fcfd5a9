import BelfryAPI
import BelfryCommand
import Foundation

/// Compares the number of events that a server reports as stored with the number that it acknowledged.
struct BenchStoredEvents {
    /// The number of a device's newest events that are checked: the maximum of one page.
    private static let sample = 1_000

    let server: BenchServer
    let http: BenchHTTP

    /// - Parameters:
    ///   - acknowledged: the number of acknowledged events of each round.
    ///   - newestRound: the prefix of the event ids of the last round.
    ///   - devices: the devices that sent the events in turn.
    func check(_ acknowledged: [Int], newestRound: String, of devices: [BenchDevice]) async throws {
        let total = acknowledged.reduce(0, +)
        let stored = try await count()
        guard stored >= total else { throw StoredEventsError.lost(acknowledged: total, stored: stored) }
        // The first device is not used, because wrk may only build a thread's first request and not send it.
        let device = devices[min(1, devices.count - 1)]
        // Half of an even share, because threads and requests without a response make the shares uneven.
        let share = (acknowledged.last ?? 0) / devices.count / 2
        let limit = min(max(share, 1), Self.sample)
        let answer: DeviceEventsResponse = try await server.admin.call(
            DeviceRoutes.listDeviceEvents, device.app, device.id, query: "limit=\(limit)"
        )
        let ids = Set(answer.events.map(\.id))
        guard ids.count == answer.events.count, ids.count == limit,
            ids.allSatisfy({ $0.hasPrefix("\(newestRound)-t") })
        else { throw StoredEventsError.wrongSample(distinct: ids.count, of: answer.events.count, expected: limit) }
    }

    /// The number of events that the server has stored, each id once.
    func count() async throws -> Int {
        try await server.metrics(over: http).first { $0.name == "belfry_events_stored_total" }?.value ?? 0
    }
}

enum StoredEventsError: Error, CustomStringConvertible {
    case lost(acknowledged: Int, stored: Int)
    case wrongSample(distinct: Int, of: Int, expected: Int)

    var description: String {
        switch self {
        case .lost(let acknowledged, let stored):
            "\(acknowledged) events were acknowledged, but the server stored \(stored)."
        case .wrongSample(let distinct, let count, let expected):
            "Of a device's newest \(expected) events \(count) were found, \(distinct) with ids of their own, "
                + "or they are not the last round's."
        }
    }
}
