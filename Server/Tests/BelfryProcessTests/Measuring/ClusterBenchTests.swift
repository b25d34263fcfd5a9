import BelfryModel
import BelfryPush
import BelfryServerModel
import Foundation
import Testing

@testable import BelfryBench

@Suite("The benchmark of a cluster")
struct ClusterBenchTests {
    private static let devices = 4
    /// What happens when a worker dies after two of four pushes.
    private static let death = ClusterBenchReport.Disturbance(
        name: "a worker dies", sentBefore: 2, sentMeanwhile: 1, openBefore: 1, mayRepeat: 2, movedShards: nil
    )

    private static func ids(_ number: Int64) throws -> Set<MessageID> {
        let naming = MessageNaming(campaign: try #require(CampaignID(number)))
        return Set(try (0..<devices).map { naming.id(try DeviceID("device-\($0)")) })
    }

    private static func lines(_ ids: some Sequence<MessageID>) -> Data {
        Data(ids.map { "\($0)\n" }.joined().utf8)
    }

    private static func counts(accepted: Int, suppressed: Int = 0, pending: Int = 0) -> CampaignCounts {
        var counts = CampaignCounts()
        counts.audience = accepted + suppressed + pending
        counts.accepted = accepted
        counts.suppressed = suppressed
        counts.pending = pending
        return counts
    }

    private static func campaign(
        _ counts: CampaignCounts = counts(accepted: devices), rows: Int = devices, inLedger: Int = devices,
        sink: SinkPushes.Comparison = SinkPushes.Comparison(devices: devices),
        disturbance: ClusterBenchReport.Disturbance = death
    ) -> ClusterBenchReport.Campaign {
        ClusterBenchReport.Campaign(
            devices: devices, seconds: 2, disturbance: disturbance, counts: counts,
            ledger: ClusterDatabase.Ledger(rows: rows, devices: inLedger, accepted: counts.accepted), sink: sink
        )
    }

    private static func kept(
        opened: Int = devices, talked: [String] = ["talk-0-0-0", "talk-0-0-1"], registrations: Int = devices + 3,
        outdated: Int = 0
    ) -> ClusterBenchReport.Kept {
        var acknowledged = ClusterTalkers.Acknowledged()
        acknowledged.add(ClusterTalkers.Acknowledged(events: ["talk-0-0-0"], refusals: 2))
        acknowledged.add(
            ClusterTalkers.Acknowledged(events: ["talk-0-0-1"], registrations: 3, revisions: ["a": 3], refusals: 1)
        )
        return ClusterBenchReport.Kept(
            devices: devices, events: ClusterDatabase.Events(opened: opened, talked: talked),
            acknowledged: acknowledged,
            registrations: registrations, outdated: outdated
        )
    }

    private static func report(
        _ campaigns: [ClusterBenchReport.Campaign], _ kept: ClusterBenchReport.Kept, workersAfter: Int = 4
    ) -> ClusterBenchReport {
        ClusterBenchReport(
            devices: devices, workersBefore: 3, workersAfter: workersAfter, isSynced: false,
            phases: [.init("links of new devices", operations: 4, seconds: 2, milliseconds: [1, 2, 3, 9.04])],
            campaigns: campaigns, kept: kept
        )
    }

    @Test("FLEET-6: what the sink wrote is counted for one campaign: devices, repeats, and pushes to others")
    func sink() throws {
        let (ours, others) = (try Self.ids(7), try Self.ids(8))
        let first = try #require(ours.first)
        let text = Self.lines(ours) + Self.lines([first, first]) + Self.lines(others.prefix(1)) + Data("no id\n".utf8)
        let found = SinkPushes(text).compared(with: ours)
        #expect(found == SinkPushes.Comparison(devices: 4, repeats: 2, foreign: 2))
        let none = SinkPushes(Data()).compared(with: ours)
        #expect(none == SinkPushes.Comparison())
    }

    @Test("FLEET-6: the sink's file is read from the push on with which a campaign begins")
    func sinkFile() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "belfry-sink-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let (before, ours) = (try Self.ids(7), try Self.ids(8))
        try (Self.lines(before) + Self.lines(ours)).write(to: file)
        let log = SinkLog(file: file)
        let count = try log.count()
        #expect(count == 8)
        let found = try log.pushes(after: before.count).compared(with: ours)
        #expect(found == SinkPushes.Comparison(devices: 4))
    }

    @Test("FLEET-6, LED-1: a campaign adds up if each device has one final row, and the sink got what the rows say")
    func addsUp() {
        #expect(Self.campaign().addsUp)
        #expect(Self.campaign(Self.counts(accepted: 3, suppressed: 1), sink: .init(devices: 3)).addsUp, "with a reason")
        #expect(Self.campaign(sink: .init(devices: 4, repeats: 2)).addsUp, "what was in flight may come again")
        let wrong = [
            Self.campaign(Self.counts(accepted: 3)), Self.campaign(Self.counts(accepted: 3, pending: 1)),
            Self.campaign(rows: 5), Self.campaign(inLedger: 3), Self.campaign(sink: .init(devices: 3)),
            Self.campaign(sink: .init(devices: 4, repeats: 3)), Self.campaign(sink: .init(devices: 4, foreign: 1)),
        ]
        for campaign in wrong { #expect(!campaign.addsUp) }
    }

    @Test("FLEET-6: a campaign that was over before the worker died, or before shards moved, proves nothing")
    func wasDisturbed() {
        func disturbance(before: Int, meanwhile: Int, moved: Int?) -> ClusterBenchReport.Disturbance {
            ClusterBenchReport.Disturbance(
                name: "", sentBefore: before, sentMeanwhile: meanwhile, openBefore: 0, mayRepeat: 0, movedShards: moved
            )
        }
        let amid = [
            disturbance(before: 3, meanwhile: 0, moved: nil), disturbance(before: 0, meanwhile: 1, moved: 1),
        ]
        for disturbance in amid { #expect(Self.campaign(disturbance: disturbance).wasDisturbed) }
        let beside = [
            disturbance(before: 4, meanwhile: 0, moved: nil), disturbance(before: 0, meanwhile: 0, moved: 1),
            disturbance(before: 0, meanwhile: 1, moved: 0),
        ]
        for disturbance in beside { #expect(!Self.campaign(disturbance: disturbance).wasDisturbed) }
    }

    @Test(
        "FLEET-6: the run fails when an opening, an event, a registration or a revision that was acknowledged is missing"
    )
    func lost() {
        let whole = Self.kept()
        #expect(whole.isEverything && whole.acknowledgedEvents == 2 && whole.acknowledgedRegistrations == 7)
        #expect(whole.refusals == 3)
        #expect(Self.report([Self.campaign()], whole).isMet)
        let lacking = [
            Self.kept(opened: 3), Self.kept(talked: ["talk-0-0-0"]), Self.kept(registrations: Self.devices + 2),
            Self.kept(outdated: 1),
        ]
        for kept in lacking { #expect(!Self.report([Self.campaign()], kept).isMet) }
        #expect(!Self.report([Self.campaign(), Self.campaign(rows: 3)], whole).isMet)
        #expect(!Self.report([], whole).isMet)
        #expect(!Self.report([Self.campaign()], whole, workersAfter: 3).isMet, "no worker joined")
    }

    @Test("FLEET-6: the report is a table, or one line of JSON")
    func report() throws {
        let report = Self.report([Self.campaign()], Self.kept())
        let lines = report.table.split(separator: "\n")
        let links = try #require(lines.first { $0.hasPrefix("links of new devices") })
        let repeats = try #require(lines.first { $0.hasPrefix("  pushes again") })
        #expect(links.hasSuffix("9.0") && repeats.hasSuffix("≤ 2"))
        #expect(report.table.hasSuffix("fsync is off: commits do not wait for the disk."))
        let json = try report.jsonLine()
        #expect(json.contains(#""lostEvents":0"#) && json.contains(#""rows":4"#) && !json.contains("\n"))
    }

    @Test("FLEET-6: a worker's folder names its port")
    func node() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "belfry-node-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(throws: (any Error).self) { _ = try ClusterNode(folder) }
        try Data("none\n".utf8).write(to: folder.appending(path: "port"))
        #expect(throws: ClusterBenchError.self) { _ = try ClusterNode(folder) }
        try Data("15432\n".utf8).write(to: folder.appending(path: "port"))
        let node = try ClusterNode(folder)
        #expect(node.port == 15_432)
    }
}
