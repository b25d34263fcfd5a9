import ArgumentParser
import BelfryModel
import BelfryStore
import BelfryWire
import Foundation
import ServiceLifecycle

/// What `belfry bench message-center` measures.
struct MessageCenterBench: Service {
    private static let app = "bench"
    /// Devices whose answers are read and checked.
    private static let sample = 20

    let turns: FetchTurns
    let shape: MessageCenterShape
    let fetch: BenchFetch
    let json: Bool

    func run() async throws {
        let report = try await report()
        print(json ? try report.jsonLine() : report.table)
        // Figures of a server that refuses are no figures.
        if report.non2xx > 0 { throw ExitCode.failure }
    }

    /// What one run gave.
    ///
    /// - Parameter engine: what the server stores in.
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

    /// What is measured has to be the whole answer: some devices' are read. Returns the length of one in bytes.
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

    /// How the engine finds the messages of one center, and how large the server's database is.
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
