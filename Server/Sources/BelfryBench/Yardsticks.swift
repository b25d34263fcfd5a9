import Foundation

/// The yardsticks for a device's calls, measured in turn with them by the same wrk (PERF-3, PERF-4, PERF-5, PERF-7):
/// `GET /healthz`, and an empty upload on the express lane.
///
/// `/healthz` goes through the router, while a device's calls take the lane. The lane gives no response without the
/// store: it looks each caller up, and leaves the calls that it refuses to the router. Its smallest work is an upload
/// without events (``BenchDevice/emptyUpload(to:order:)``): its head is read, its token checked, its body read, and a
/// transaction looks up its device and stores nothing.
struct Yardsticks: Sendable {
    /// The rates of both yardsticks in one round, in requests per second.
    struct Round: Sendable {
        let healthzPerSecond: Double
        /// The rate of the express lane; nil when it was not measured.
        let lanePerSecond: Double?
        /// Requests with a status of 400 or more, or without a response.
        let failed: Int
    }

    let wrk: Wrk
    let server: BenchServer
    let http: BenchHTTP
    private let reportOnly: URL
    private let lane: (script: URL, uploads: URL)?

    /// Writes the script that wrk runs and the file that it reads.
    ///
    /// - Parameter devices: the devices whose empty uploads measure the lane, in turn; nil: the lane is not measured.
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

    /// Measures one yardstick after the other.
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
        // Responses of the router are not a yardstick of the lane.
        guard byLane >= bare.answeredWell else {
            throw YardstickError.leftTheLane(answered: bare.answeredWell, byLane: byLane)
        }
        return Round(
            healthzPerSecond: healthz.answeredWellPerSecond, lanePerSecond: bare.answeredWellPerSecond,
            failed: healthz.failed + bare.failed
        )
    }

    /// The number of requests that the lane has answered, by the server's own metrics.
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
    /// The body says that no message is wanted: otherwise the router would look for one in an app that has messages
    /// (WIRE-6).
    private static let emptyBody = #"{"dnd":true,"events":[]}"#

    /// An upload without events, as HTTP/1.1 text.
    ///
    /// - Parameter authority: `127.0.0.1:PORT`
    func emptyUpload(to authority: String, order: Date) -> String {
        let body = Self.emptyBody
        return head(of: "events", to: authority, order: order) + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }
}
