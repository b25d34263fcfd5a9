import ArgumentParser
import BelfryModel
import BelfryStore
import BelfryWire
import Foundation
import ServiceLifecycle

/// Runs `belfry bench message-center`.
struct MessageCenterBench: Service {
    private static let app = "bench"
    /// The number of devices whose responses are read and checked.
    private static let sample = 20

    let turns: FetchTurns
    let shape: MessageCenterShape
    let fetch: BenchFetch
    let json: Bool

    func run() async throws {
        let report = try await report()
        print(json ? try report.jsonLine() : report.table)
        // The figures mean nothing if the server refused requests.
        if report.non2xx > 0 { throw ExitCode.failure }
    }

    /// Returns the figures of one run.
    ///
    /// - Parameter engine: the database engine of the server.
    func report(on engine: BenchEngine = .sqlite) async throws -> MessageCenterBenchReport {
        try await BenchServer.run(on: engine) { server in
            try await BenchHTTP.run { http in
                let begin = ContinuousClock().now
                let app = try await BenchApp.make(Self.app, on: server, over: http)
                let devices = try await MessageCenterBenchMessages(app: app, shape: shape).write()
                let filling = ContinuousClock().now - begin
                var report = try await measure(devices, on: server, over: http)
                report.fillingSeconds = filling.inSeconds.rounded(places: 1)
                return report
            }
        }
    }

    private func measure(
        _ devices: [BenchDevice], on server: BenchServer, over http: BenchHTTP
    ) async throws -> MessageCenterBenchReport {
        let answerBytes = try await check(devices, on: server, over: http)
        let (plan, fileBytes) = try await look(into: server.database)
        let now = Date()
        let requests = devices.map { $0.fetch(of: fetch.call, from: server.authority, order: now) }
        let figures = try await turns.run(requests, of: devices, on: server, over: http)
        return MessageCenterBenchReport(
            figures, shape: shape, fetch: fetch, answerBytes: answerBytes, plan: plan, fileBytes: fileBytes
        )
    }

    /// Reads the responses of some devices to check that a complete response is measured. Returns the length of one in
    /// bytes.
    private func check(
        _ devices: [BenchDevice], on server: BenchServer, over http: BenchHTTP
    ) async throws -> Int {
        var bytes: [Int] = []
        for device in devices.prefix(Self.sample) {
            let (_, body) = try await http.answer(to: device.get(fetch.call, at: server.address, order: Date()))
            try fetch.check(body, centers: shape.centers)
            bytes.append(body.count)
        }
        return Int(bytes.map(Double.init).median)
    }

    /// The engine's query plan for the messages of one message center, and the size of the server's database in bytes.
    private func look(into database: BenchDatabase) async throws -> (plan: [String], bytes: Int) {
        let plan = try await database.plan(
            MessageCenterMessageRepository.newestQuery.rowSQL,
            [
                .integer(1), .text(MessageCenterName.primary.rawValue), .date(Date()),
                .integer(MessageCenterLimits.messagesPerCenter),
            ]
        )
        let size = try await database.opened { try await $0.read { try $0.facts().size } }
        return (plan, Int(size))
    }
}
