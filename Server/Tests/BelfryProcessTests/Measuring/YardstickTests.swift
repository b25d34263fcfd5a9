import Foundation
import Testing

@testable import BelfryBench

@Suite("What calls are compared with")
struct YardstickTests {
    /// So many a second, of which some were refused.
    private func result(_ perSecond: Int, refused: Int = 0) -> Wrk.Result {
        Wrk.Result(requests: perSecond + refused, microseconds: 1_000_000, refused: refused, broken: 0, lacking: 0)
    }

    private func yardstick(_ healthz: Double, lane: Double?, failed: Int = 0) -> Yardsticks.Round {
        Yardsticks.Round(healthzPerSecond: healthz, lanePerSecond: lane, failed: failed)
    }

    /// What a report in JSON says of both.
    private struct Written: Decodable {
        var healthzPerSecond: Double
        var laneRequestsPerSecond: Double?
        var ratio: Double
        var laneRatio: Double?

        init(_ report: some Encodable) throws {
            self = try JSONDecoder().decode(Self.self, from: Data(try report.jsonLine().utf8))
        }
    }

    @Test("PERF-3: the figures of events name both yardsticks, and the ratio to each")
    func intake() throws {
        let rounds = [
            IngestionBenchReport.Round(
                yardstick(1_000, lane: 800, failed: 1), intake: result(400, refused: 2), eventsPerRequest: 1),
            IngestionBenchReport.Round(yardstick(1_000, lane: 500), intake: result(400), eventsPerRequest: 1),
            IngestionBenchReport.Round(yardstick(1_000, lane: 1_000), intake: result(400), eventsPerRequest: 1),
        ]
        let report = IngestionBenchReport(rounds, eventsPerRequest: 1, devices: 3)
        #expect(report.healthzPerSecond == 1_000 && report.laneRequestsPerSecond == 800)
        #expect(report.ratio == 0.4 && report.laneRatio == 0.5)
        #expect(report.non2xx == 3)
        let written = try Written(report)
        #expect(written.healthzPerSecond == 1_000 && written.laneRequestsPerSecond == 800)
        #expect(written.ratio == 0.4 && written.laneRatio == 0.5)
        let head = report.table.split(separator: "\n").first ?? ""
        #expect(head.split(separator: " ").contains("LANE/S"))
    }

    @Test("PERF-7: the figures of fetches name both yardsticks; without the lane they say nothing of it")
    func fetches() throws {
        let both = FetchFigures([.init(yardstick(1_000, lane: 800), fetches: result(200))])
        #expect(both.ratio == 0.2 && both.laneRatio == 0.25 && both.laneRequestsPerSecond == 800)
        let one = FetchFigures([.init(yardstick(1_000, lane: nil), fetches: result(200))])
        #expect(one.ratio == 0.2 && one.laneRatio == nil && one.laneRequestsPerSecond == nil)
        #expect(one.table.contains("–"))
        let report = InAppBenchReport(one, devices: 1, campaigns: 1, answerBytes: 1, plan: [])
        let written = try Written(report)
        #expect(written.healthzPerSecond == 1_000 && written.ratio == 0.2)
        #expect(written.laneRequestsPerSecond == nil && written.laneRatio == nil)
    }

    @Test("PERF-5: a round of registrations has a ratio to each yardstick")
    func registrations() {
        let round = RegistrationBenchReport.Round(
            yardstick(1_000, lane: 800, failed: 1), registrations: result(200), backlog: 7, drained: .seconds(2)
        )
        #expect(round.ratio == 0.2 && round.laneRatio == 0.25 && round.non2xx == 1)
    }
}
