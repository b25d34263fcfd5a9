import ArgumentParser
import BelfryAPI
import BelfryCommand
import BelfryModel
import BelfryServerModel
import BelfryStore
import BelfryWire
import Foundation
import ServiceLifecycle

/// Runs `belfry bench in-app`.
struct InAppBench: Service {
    private static let app = "bench"
    /// A cursor that is made within 1 s after a change does not rely on that change (WIRE-9). This pause is longer.
    private static let settling = Duration.milliseconds(1_200)
    /// The number of devices whose responses are read and checked.
    private static let sample = 20

    let turns: FetchTurns
    let devices: Int
    let campaigns: Int
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
    func report(on engine: BenchEngine = .sqlite) async throws -> InAppBenchReport {
        try await BenchServer.run(on: engine) { server in
            try await BenchHTTP.run { http in
                let app = try await BenchApp.make(Self.app, on: server, over: http)
                for number in 1...campaigns {
                    let message = Self.message(number, to: .everyone)
                    try await BenchCampaign.draft(message, app: Self.app, by: server.admin).launch()
                }
                let callers = try await app.link(devices).map { InAppBenchCaller(device: $0) }
                return try await measure(callers, on: server, over: http)
            }
        }
    }

    /// A campaign with an in-app message.
    static func message(_ number: Int, to audience: Condition) -> CampaignRequest {
        CampaignRequest(
            name: "Message \(number)", kind: .inApp, audience: audience,
            inApp: InAppDraftRequest(
                InAppDraft(
                    type: .modal, trigger: InAppTrigger(event: "event-\(number)"),
                    content: InAppContent(
                        title: "News of the week", body: "There is something new in your town, number \(number)."
                    )
                ))
        )
    }

    /// Lets devices sync until nothing is new for them and their cursors rely on every change.
    ///
    /// - Parameter campaigns: the number of messages that each device must get.
    static func settled(
        _ unsynced: [InAppBenchCaller], campaigns: Int, on server: BenchServer, over http: BenchHTTP
    ) async throws -> [InAppBenchCaller] {
        let new = try await InAppBenchCaller.syncAll(unsynced, on: server, over: http)
        guard new.allSatisfy({ $0.response.messages.count == campaigns }) else {
            throw InAppBenchError.notAllMessages(of: campaigns)
        }
        try await Task.sleep(for: settling)
        return try await InAppBenchCaller.syncAll(new.map(\.caller), on: server, over: http).map(\.caller)
    }

    private func measure(
        _ unsynced: [InAppBenchCaller], on server: BenchServer, over http: BenchHTTP
    ) async throws -> InAppBenchReport {
        let callers = try await Self.settled(unsynced, campaigns: campaigns, on: server, over: http)
        let last = try await InAppBenchCaller.syncAll(Array(callers.prefix(Self.sample)), on: server, over: http)
        guard last.allSatisfy(\.isNothingNew) else { throw InAppBenchError.somethingNew }
        let plan = try await server.database.plan(InAppSyncVersionRepository.query.rowSQL, [.integer(1 as Int64)])
        let now = Date()
        let requests = callers.map { $0.request(to: server, order: now) }
        let figures = try await turns.run(requests, of: callers.map(\.device), on: server, over: http)
        return InAppBenchReport(
            figures, devices: devices, campaigns: campaigns,
            answerBytes: Int(last.map { Double($0.bytes) }.median), plan: plan
        )
    }
}

enum InAppBenchError: Error, CustomStringConvertible {
    case notAllMessages(of: Int)
    case somethingNew

    var description: String {
        switch self {
        case .notAllMessages(let campaigns):
            "A device did not get \(campaigns) messages at its first sync."
        case .somethingNew: "A device that has everything got something new, or another cursor."
        }
    }
}
