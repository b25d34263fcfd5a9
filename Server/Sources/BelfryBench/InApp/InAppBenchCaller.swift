import BelfryModel
import BelfryWire
import Foundation

/// A device of `belfry bench in-app`, with its cursor.
struct InAppBenchCaller: Sendable {
    /// The result of one sync.
    struct SyncResult: Sendable {
        /// The device with the response's cursor.
        let caller: InAppBenchCaller
        let response: InAppSyncResponse
        /// The length of the response body.
        let bytes: Int
        /// Whether the device already had this cursor.
        let isCursorSame: Bool

        var isNothingNew: Bool { isCursorSame && response.messages.isEmpty && response.recalled.isEmpty }
    }

    let device: BenchDevice
    /// The cursor of the last response; nil before the first.
    var cursor: String?

    private var call: String { "in-app-messages" + (cursor.map { "?since=\($0)" } ?? "") }

    /// The sync request as HTTP/1.1 text.
    func request(to server: BenchServer, order: Date) -> String {
        device.fetch(of: call, from: server.authority, order: order)
    }

    /// Lets all devices sync once, many at a time.
    static func syncAll(
        _ callers: [InAppBenchCaller], on server: BenchServer, over http: BenchHTTP
    ) async throws -> [SyncResult] {
        try await withThrowingTaskGroup(of: SyncResult.self, returning: [SyncResult].self) { group in
            var results: [SyncResult] = []
            results.reserveCapacity(callers.count)
            for (number, caller) in callers.enumerated() {
                if number >= BenchHTTP.width, let next = try await group.next() { results.append(next) }
                group.addTask { try await caller.ask(server, over: http) }
            }
            for try await next in group { results.append(next) }
            return results
        }
    }

    /// Syncs once.
    func ask(_ server: BenchServer, over http: BenchHTTP) async throws -> SyncResult {
        let (_, body) = try await http.answer(to: device.get(call, at: server.address, order: Date()))
        let response = try CheckedJSON.decode(
            InAppSyncResponse.self, from: body, maximumBytes: BenchHTTP.maximumResponseBytes)
        return SyncResult(
            caller: InAppBenchCaller(device: device, cursor: response.cursor), response: response, bytes: body.count,
            isCursorSame: response.cursor == cursor
        )
    }
}
