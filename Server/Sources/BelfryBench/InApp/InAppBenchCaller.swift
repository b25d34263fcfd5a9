import BelfryModel
import BelfryWire
import Foundation

/// A device of `belfry bench in-app`, with its cursor.
struct InAppBenchCaller: Sendable {
    /// The result of one sync.
    struct Told: Sendable {
        /// The device with the response's cursor.
        let caller: InAppBenchCaller
        let answer: InAppSyncResponse
        /// The length of the response body.
        let bytes: Int
        /// Whether the device already had this cursor.
        let isCursorSame: Bool

        var isNothingNew: Bool { isCursorSame && answer.messages.isEmpty && answer.recalled.isEmpty }
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
    static func answers(
        to callers: [InAppBenchCaller], on server: BenchServer, over http: BenchHTTP
    ) async throws -> [Told] {
        try await withThrowingTaskGroup(of: Told.self, returning: [Told].self) { group in
            var told: [Told] = []
            told.reserveCapacity(callers.count)
            for (number, caller) in callers.enumerated() {
                if number >= BenchHTTP.width, let next = try await group.next() { told.append(next) }
                group.addTask { try await caller.ask(server, over: http) }
            }
            for try await next in group { told.append(next) }
            return told
        }
    }

    /// Syncs once.
    func ask(_ server: BenchServer, over http: BenchHTTP) async throws -> Told {
        let (_, body) = try await http.answer(to: device.get(call, at: server.address, order: Date()))
        let answer = try CheckedJSON.decode(
            InAppSyncResponse.self, from: body, maximumBytes: BenchHTTP.maximumResponseBytes)
        return Told(
            caller: InAppBenchCaller(device: device, cursor: answer.cursor), answer: answer, bytes: body.count,
            isCursorSame: answer.cursor == cursor
        )
    }
}
