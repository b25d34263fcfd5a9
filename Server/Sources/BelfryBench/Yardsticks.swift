import Foundation

/// What a device's calls are compared with, in turn with them and by the same wrk (PERF-3, PERF-4, PERF-5, PERF-7):
/// `GET /healthz`, and a bare answer of the express lane.
///
/// `/healthz` goes through the router, the calls take the lane. The lane gives no answer without the store: it looks each
/// caller up, and leaves what it refuses to the router. The least that it does is an upload without events
/// (``BenchDevice/emptyUpload(to:order:)``): its head is read, its token checked, its body read, and a transaction looks
/// up its device and stores nothing.
struct Yardsticks: Sendable {
    /// Both in one round, in requests a second.
    struct Round: Sendable {
        let healthzPerSecond: Double
        /// Nil where it was not asked for.
        let lanePerSecond: Double?
        /// Requests that were answered with 400 or more, or not at all.
        let failed: Int
    }

    let wrk: Wrk
    let server: BenchServer
    let http: BenchHTTP
    private let reportOnly: URL
    private let lane: (script: URL, uploads: URL)?

    /// Writes what wrk runs and reads.
    ///
    /// - Parameter devices: whose empty uploads the lane answers, in turn; nil: it is not measured.
    init(_ wrk: Wrk, laneCallers devices: [BenchDevice]?, on server: BenchServer, over http: BenchHTTP) throws {
        self.wrk = wrk
        self.server = server
        self.http = http
        reportOnly = server.folder.appending(path: "report.lua")
        try Data(Wrk.reporting.utf8).write(to: reportOnly)
        guard let devices else {
            lane = nil
            return
        }
        let now = Date()
        let uploads = server.folder.appending(path: "empty-uploads")
        let texts = devices.map { Data($0.emptyUpload(to: server.authority, order: now).utf8) }
        try PreparedTexts.file(texts).write(to: uploads)
        let script = server.folder.appending(path: "empty-uploads.lua")
        try Data((RequestsInTurnScript.text(threads: wrk.threads) + Wrk.reporting).utf8).write(to: script)
        lane = (script, uploads)
    }

    /// Measures one after the other.
    func measure(round number: Int, seconds: Int) async throws -> Round {
        let healthz = try await wrk.run("\(server.address)/healthz", seconds: seconds, script: reportOnly)
        guard let lane else {
            return Round(healthzPerSecond: healthz.answeredWellPerSecond, lanePerSecond: nil, failed: healthz.failed)
        }
        let before = try await laneAnswers()
        let bare = try await wrk.run(
            server.address, seconds: seconds, script: lane.script, arguments: [lane.uploads.path, "\(number)"]
        )
        let byLane = try await laneAnswers() - before
        // What the router has answered is no yardstick of the lane.
        guard byLane >= bare.answeredWell else {
            throw YardstickError.leftTheLane(answered: bare.answeredWell, byLane: byLane)
        }
        return Round(
            healthzPerSecond: healthz.answeredWellPerSecond, lanePerSecond: bare.answeredWellPerSecond,
            failed: healthz.failed + bare.failed
        )
    }

    /// How many requests the lane has answered, by what the server counts.
    private func laneAnswers() async throws -> Int {
        try await server.metrics(over: http).reduce(0) { sum, metric in
            metric.name.hasPrefix("belfry_express_requests_total{") ? sum + metric.value : sum
        }
    }
}

enum YardstickError: Error, CustomStringConvertible {
    case leftTheLane(answered: Int, byLane: Int)

    var description: String {
        switch self {
        case .leftTheLane(let answered, let byLane):
            "Of \(answered) uploads without events the express lane answered \(byLane); the router had the others."
        }
    }
}

extension BenchDevice {
    /// Says that it wants no message: else the router would look for one, in an app that has some (WIRE-6).
    private static let emptyBody = #"{"dnd":true,"events":[]}"#

    /// An upload without events, as HTTP writes it.
    ///
    /// - Parameter authority: `127.0.0.1:PORT`
    func emptyUpload(to authority: String, order: Date) -> String {
        let body = Self.emptyBody
        return head(of: "events", to: authority, order: order) + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }
}
